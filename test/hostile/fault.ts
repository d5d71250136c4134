import type { CommandName } from './commands.ts';
import type { Reaction } from './server.ts';

/**
 * What a fault means for whoever asked:
 * - `broken`, `slow`: the network, after the request had left; a slow one is not tried again
 * - `wrong`: an answer that is not what the interface promises
 * - `unread`: an answer that shows that the request was not understood at all
 * - `failed`: the service says so itself, with a 5xx or 408
 * - `moved`, `refused`, `forbidden`, `limited`: a no of the service
 * - `fine`: strange, and no fault
 */
export type Meaning =
  | 'broken'
  | 'slow'
  | 'wrong'
  | 'unread'
  | 'failed'
  | 'moved'
  | 'refused'
  | 'forbidden'
  | 'limited'
  | 'fine';

export type Fault = {
  readonly fault: string;
  readonly react: Reaction;
  readonly expected: Meaning;
  /** What the error, or what is said besides the result, has to tell. */
  readonly says?: RegExp;
  /** How often a read is sent, where it differs from what the meaning has. */
  readonly tries?: number;
  /** Of each request, in ms; as the meaning has it when undefined. */
  readonly timeout?: number;
  /** The commands for which it is a fault of this kind; all when undefined. */
  readonly only?: readonly CommandName[];
};

type Row = readonly [
  fault: string,
  react: Reaction,
  says?: RegExp | undefined,
  only?: readonly CommandName[] | undefined,
];

/** Returns faults that all mean the same. */
export function faultsOf(expected: Meaning, rows: readonly Row[]): Fault[] {
  return rows.map(([fault, react, says, only]) => ({
    fault,
    react,
    expected,
    ...(says && { says }),
    ...(only && { only }),
  }));
}

/** Makes rows of faults that all have to say the same. */
export function saying(says: RegExp) {
  return ([fault, react]: readonly [fault: string, react: Reaction]): Row => [fault, react, says];
}
