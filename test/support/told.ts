import { expect } from 'vitest';

/** Expects a wait to be as long as the service said, and at most 3 s longer. */
export function expectTold(waitedMs: number, toldSeconds: number): void {
  expect(waitedMs).toBeGreaterThanOrEqual(toldSeconds * 1_000);
  expect(waitedMs).toBeLessThanOrEqual(toldSeconds * 1_000 + 3_000);
}
