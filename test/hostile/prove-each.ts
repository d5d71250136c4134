import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from './fault.ts';
import { proveFault } from './prove.ts';
import { type HostilePair, startHostilePair } from './server.ts';

/** Proves for each fault how each command ends, and what never happens. */
export function proveEach(faults: readonly Fault[]): void {
  let pair: HostilePair;
  beforeAll(async () => {
    pair = await startHostilePair();
  });
  afterAll(() => pair.close());

  describe.concurrent('ends as promised:', () => {
    test.for(faults.map((fault) => [fault.fault, fault] as const))('%s', async ([, fault]) => {
      expect(await proveFault(fault, pair.server)).toEqual([]);
    });
  });

  test('and nobody goes where a redirect points', () => {
    expect(pair.elsewhere.connections()).toBe(0);
  });
}
