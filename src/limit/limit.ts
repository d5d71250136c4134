import { type Cell, change, type Seen } from '../store/cell.ts';
import { type Clocks, isSameStart, later } from './clocks.ts';
import { dropPermits } from './learn.ts';
import { emptyState, type Snapshot, type State } from './state.ts';

/** Computes one change; the same state changes nothing. It may run more than once. */
type Step<Result> = (state: State, now: number) => readonly [State, Result];

export type Limit = {
  readonly change: <Result>(step: Step<Result>) => Promise<Result>;
};

const firstMoment = 1e12;

/** Opens a limit in a cell, on the clocks of the place where that is. A change rejects with what `explain` makes of an error. */
export function openLimit<Look extends Seen<Snapshot>>(
  cell: Cell<Snapshot, Look>,
  readClocks: (look: Look) => Clocks,
  yieldToIo: () => Promise<void>,
  explain: (error: unknown) => unknown,
): Limit {
  let last: Snapshot | undefined;
  const steps: Step<unknown>[] = [];
  let previous: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly unknown[]> | undefined;
  const takeAll = async () => {
    next = undefined;
    const { snapshot, results } = await changeState(cell, readClocks, last, steps.splice(0));
    last = snapshot;
    return results;
  };
  return {
    /** Steps of one turn of the event loop are taken together, once those before are done. */
    async change<Result>(step: Step<Result>) {
      const index = steps.push(step) - 1;
      next ??= previous.then(yieldToIo).then(takeAll);
      const results = next;
      previous = results.catch(() => {});
      try {
        return (await results)[index] as Result;
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/** Takes steps in one change of the cell. If `last` got lost, it is put back. */
function changeState<Look extends Seen<Snapshot>>(
  cell: Cell<Snapshot, Look>,
  readClocks: (look: Look) => Clocks,
  last: Snapshot | undefined,
  steps: readonly Step<unknown>[],
) {
  // Nobody may ever report what became of the requests that were in flight then.
  const lost = last && {
    ...last,
    state: dropPermits(last.state, last.stamp.at, () => true),
  };
  return change(cell, (look) => {
    const clocks = readClocks(look);
    const known = look.value ?? lost;
    const stamp = known ? later(known.stamp, clocks) : { ...clocks, at: firstMoment };
    const before = known?.state ?? emptyState;
    let state = before;
    const results = steps.map((step) => {
      const [after, result] = step(state, stamp.at);
      state = after;
      return result;
    });
    const snapshot = { state, stamp };
    // After a restart of the machine, time goes on from here.
    const isOutdated = known !== undefined && !isSameStart(known.stamp, clocks);
    return [state === before && !isOutdated ? undefined : snapshot, { snapshot, results }];
  });
}
