import { quoted } from '../text/quoted.ts';
import type { JournalState, Refusal } from './journal-state.ts';
import type { Intention, Plan } from './plan.ts';

/**
 * What became of a row: besides what the plan already tells, `refused` by the service, or `left` for another run of the same
 * command.
 */
export type Outcome = Exclude<Intention, 'create' | 'similar'> | 'created' | 'refused' | 'left';

export type RowOutcome = {
  readonly outcome: Outcome;
  /** Of the category that stands for the row. */
  readonly id?: string | undefined;
  /** The category's name where the service changed it. */
  readonly as?: string | undefined;
  /** Without a status where it was not sent. */
  readonly refusal?: Partial<Refusal> | undefined;
};

/**
 * What became of each row of the file, by the plan and by the journal as it stands now.
 * @param copies ids of categories that are there twice; one that a row has was made of another name
 */
export function outcomesOf(
  { intentions, ids, similar }: Plan,
  state: JournalState,
  copies: ReadonlySet<string> = new Set(),
): RowOutcome[] {
  const others = new Map(similar.map(({ row, other }) => [row, other]));
  return intentions.map((intention, row) => {
    const done = state.done.get(row);
    const word = intention === 'created_before' ? intention : 'created';
    if (done && copies.has(done.id)) return { outcome: 'differs', id: done.id, as: done.as };
    if (done) return { outcome: word, id: done.id, as: done.as };
    if (state.open.has(row)) return { outcome: 'unknown' };
    if (intention === 'similar') {
      const message = `similar to ${quoted(others.get(row) ?? '')}, which already exists`;
      return { outcome: 'refused', refusal: { message } };
    }
    const refusal = intention === 'create' ? state.refused.get(row) : undefined;
    if (refusal) return { outcome: 'refused', refusal };
    if (intention === 'create' || intention === 'unknown') return { outcome: 'left' };
    return { outcome: intention, id: ids.get(row) };
  });
}

/** How many rows have each of these words. */
export function count<Word extends string>(words: readonly Word[]): ReadonlyMap<Word, number> {
  const counts = new Map<Word, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
