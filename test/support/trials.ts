/**
 * How many trials a property test draws: all of them in `npm run test:all`, a tenth of them in the quick loop, or
 * PETSTORE_TEST_TRIALS times as many.
 */
export function trials(all: number): { numRuns: number } {
  return { numRuns: Math.ceil(all * Number(process.env.PETSTORE_TEST_TRIALS)) };
}
