import { pick, type Random } from '../../support/random.ts';

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
const faultsOfReads = lost;

const faultsOfWrites: typeof lost = [
  ...lost,
  { commit: 'first', reply: 'reset' },
  { commit: 'late', reply: 'reset' },
  { commit: 'first', reply: 503 },
  { commit: 'first', reply: 'cut' },
];

/** How much later than its reset a late commit may come, in ms. */
export const latest = 300;

/** What a 429 asks to wait, in s. */
export const retryAfter = 1;

/**
 * Draws what goes wrong with one request after the other. Who waited after a 429 is not refused again before a request was
 * served: three in a row would keep petstore from sending for five minutes.
 */
export function drawFaults(random: Random, share: number): (method?: string) => Fault | undefined {
  let refusedAt: number | undefined;
  return (method) => {
    const faults = method === 'POST' ? faultsOfWrites : faultsOfReads;
    const fault = random() < share ? pick(faults, random) : undefined;
    if (fault?.reply === 429) {
      if (refusedAt !== undefined) return undefined;
      refusedAt = Date.now();
    } else if (!fault && Date.now() > (refusedAt ?? 0) + 1_000 * retryAfter) {
      refusedAt = undefined;
    }
    return fault;
  };
}
