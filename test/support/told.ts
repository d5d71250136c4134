import { expect } from 'vitest';

/** Expects a wait of so many ms to be as long as the service told, in seconds, and at most 3 s longer. */
export function expectTold(waitedMs: number, told: number): void {
  expect(waitedMs).toBeGreaterThanOrEqual(told * 1_000);
  expect(waitedMs).toBeLessThanOrEqual(told * 1_000 + 3_000);
}
