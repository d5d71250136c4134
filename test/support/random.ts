import fc from 'fast-check';

/** The same trials in every run, so that a failure is the change's; a seed of one's own looks farther. */
export const seed = Number(process.env.PETSTORE_TEST_SEED ?? 20_261_121);
/** A failure says first what broke, and then what was drawn. */
fc.configureGlobal({
  seed,
  reporter(run) {
    if (!run.failed) return;
    const cause = run.errorInstance;
    throw new Error(`${cause}\n${fc.defaultReportMessage(run)}`, { cause });
  },
});

/** How many trials a property test draws: all of them in `npm run test:all`, a tenth of them otherwise, or as many as the variable says. */
export function trials(all: number): { numRuns: number } {
  return { numRuns: Math.ceil(all * Number(process.env.PETSTORE_TEST_TRIALS)) };
}

/** A number in [0, 1). */
export type Random = () => number;

/** Returns numbers that a seed decides. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a whole number in [0, limit). */
export function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

export function pick<Item>(items: readonly [Item, ...Item[]], random: Random): Item {
  return items[below(items.length, random)] ?? items[0];
}
