import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { certificateFaults, type Unreached, unreachedFaults } from './faults/unreached.ts';
import { proveUnreached } from './prove-unreached.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.concurrent('a service that is not reached: exit 5, nothing was sent:', () => {
  const prove = async ([, fault]: readonly [string, Unreached]) => {
    expect(await proveUnreached(fault)).toEqual([]);
  };
  const rows = (faults: readonly Unreached[]) =>
    faults.map((fault) => [fault.fault, fault] as const);

  test.for(rows(unreachedFaults))('%s', prove);
  test.for(rows(certificateFaults(folder)))('%s', { tags: ['openssl'] }, prove);
});
