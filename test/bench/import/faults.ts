/** What goes wrong with a request: whether it takes effect all the same, and what its sender sees. */
export type Fault = {
  /** `late`: after the connection is gone. */
  readonly commit: 'never' | 'first' | 'late';
  /** `cut`: the good answer, broken off in its body. */
  readonly reply: 'reset' | 'cut' | 503 | 429;
};

const lost: readonly [Fault, ...Fault[]] = [
  { commit: 'never', reply: 'reset' },
  { commit: 'never', reply: 503 },
  { commit: 'never', reply: 429 },
];

/** Where nothing is created, nothing can be created unseen. */
export const faultsOfReads = lost;

export const faultsOfWrites: typeof lost = [
  ...lost,
  { commit: 'first', reply: 'reset' },
  { commit: 'late', reply: 'reset' },
  { commit: 'first', reply: 503 },
  { commit: 'first', reply: 'cut' },
];

/** How much later than its reset a late commit may come, in ms. */
export const latest = 300;
