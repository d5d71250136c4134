import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { unreachedFaults } from './faults/unreached.ts';
import { proveUnreached } from './prove-unreached.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.concurrent('a service that is not reached: exit 5, nothing was sent:', () => {
  test.for(unreachedFaults(folder).map((fault) => [fault.fault, fault] as const))(
    '%s',
    async ([, fault]) => {
      expect(await proveUnreached(fault)).toEqual([]);
    },
  );
});
