import fc from 'fast-check';

/** The same trials in every run, so that a failure is the change's; a seed of one's own looks farther. */
export const seed = Number(process.env.PETSTORE_TEST_SEED ?? 20_261_121);
fc.configureGlobal({ seed });
