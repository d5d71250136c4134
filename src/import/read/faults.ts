import { type Failure, usageFailure } from '../../errors.ts';
import type { Position } from '../../json/position.ts';
import { formatCount } from '../../time.ts';

/** Something wrong at a place of the input, in words that quote no more of it than a name. */
export class Fault extends Error {
  constructor(
    readonly position: Position,
    readonly reason: string,
    /** What to do about it, where that is not plain. */
    readonly hint?: string,
  ) {
    super(reason);
  }
}

/** A fault behind which nothing can be understood any more. */
export function stopAt(position: Position, reason: string, hint?: string): Fault {
  return new Fault(position, `${reason}; the rest was not read`, hint);
}

const maxListed = 20;

export type Faults = {
  readonly add: (position: Position, reason: string, hint?: string) => void;
  /** All faults as one failure, or undefined when there are none. Of more than one, the first 20 are told singly. */
  readonly summary: (source: string) => Failure | undefined;
};

export function createFaults(): Faults {
  const listed: string[] = [];
  let count = 0;
  let ofFirst: string | undefined;
  return {
    add({ line, column }, reason, hint) {
      count += 1;
      if (count === 1) ofFirst = hint;
      if (listed.length < maxListed) listed.push(`${line}:${column}: ${reason}`);
    },
    summary(source) {
      const [first] = listed;
      if (first === undefined) return undefined;
      const faults = listed.map((fault) => `${source}:${fault}`);
      if (count === 1) return usageFailure(`${source}:${first}`, ofFirst, faults);
      const shown = count > maxListed ? ` (first ${maxListed} listed)` : '';
      return usageFailure(
        `${source} has ${formatCount(count)} errors${shown}, the first at ${first}`,
        undefined,
        faults,
      );
    },
  };
}

const longestName = 40;

/** A name from the input, cut where it is no longer short. */
export function quoted(name: string): string {
  return name.length > longestName ? `"${name.slice(0, longestName)}…"` : `"${name}"`;
}
