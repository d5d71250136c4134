import { type Cell, change, type Seen } from '../store/cell.ts';
import { type Clocks, isSameStart, later } from './clocks.ts';
import { dropPermits } from './learn.ts';
import { emptyState, type Snapshot, type State } from './state.ts';

/** Computes one change; the same state changes nothing. It may run more than once. `isOffline`: the store is unreachable. */
export type Step<Result> = (
  state: State,
  now: number,
  isOffline: boolean,
) => readonly [State, Result];

export type Limit = {
  readonly change: <Result>(step: Step<Result>) => Promise<Result>;
  /** Returns true if there is a store, and it can be reached. */
  readonly isRemote: () => boolean;
};

const firstMoment = 1e12;

/**
 * Opens a limit in a cell, on the clocks of the place where that is. All steps that this process requests in one turn of the event
 * loop are one change of the cell.
 */
export function openLimit<Look extends Seen<Snapshot>>(
  cell: Cell<Snapshot, Look>,
  readClocks: (look: Look) => Clocks,
  turn: () => Promise<void>,
): Limit {
  let steps: ((state: State, now: number) => State)[] = [];
  let next: Promise<void> | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  /** Put back if it gets lost. Nobody may ever report what became of the requests in flight then. */
  let last: Snapshot | undefined;

  return {
    isRemote: () => false,
    async change<Result>(step: Step<Result>) {
      let outcome: { readonly result: Result } | undefined;
      steps.push((state, now) => {
        const [after, result] = step(state, now, false);
        outcome = { result };
        return after;
      });
      next ??= previous.then(turn).then(takeSteps);
      previous = next.catch(() => {});
      await next;
      if (!outcome) throw new Error('a step was not taken');
      return outcome.result;
    },
  };

  async function takeSteps(): Promise<void> {
    const taken = steps;
    steps = [];
    next = undefined;
    const lost = last && { ...last, state: dropPermits(last.state, last.stamp.at, () => true) };
    last = await change(cell, (look) => {
      const clocks = readClocks(look);
      const known = look.value ?? lost;
      const stamp = known ? later(known.stamp, clocks) : { ...clocks, at: firstMoment };
      const before = known?.state ?? emptyState;
      const state = taken.reduce((current, step) => step(current, stamp.at), before);
      const snapshot = { state, stamp };
      // After a restart of the machine, time goes on from here.
      const isOutdated = known !== undefined && !isSameStart(known.stamp, clocks);
      return [state === before && !isOutdated ? undefined : snapshot, snapshot];
    });
  }
}
