import type { Category } from '../api/resources.ts';
import { type Content, looseKey, type Mode } from './content.ts';
import type { JournalState } from './journal-state.ts';

/**
 * A name that is to be created and looks like another one, which is in the service or earlier in the file; `listed` where each
 * name is to be there once and the other is there by no row of ours.
 */
export type SimilarName = {
  readonly row: number;
  readonly other: string;
  readonly listed: boolean;
};

/** Which of the rows to create look like another name. */
export function findSimilar(
  mode: Mode,
  rows: readonly Content[],
  create: readonly number[],
  existing: readonly Category[],
  { done }: JournalState,
): SimilarName[] {
  const ours = new Set([...done.values()].map(({ id }) => id));
  const seen = new Map<string, Omit<SimilarName, 'row'>>();
  for (const { id, name } of existing) {
    const key = looseKey(name);
    const listed = mode === 'ensure' && !ours.has(id.text);
    if (listed || !seen.has(key)) seen.set(key, { other: name, listed });
  }
  const similar: SimilarName[] = [];
  for (const row of create) {
    const name = rows[row]?.name ?? '';
    const key = looseKey(name);
    const found = seen.get(key);
    if (!found) seen.set(key, { other: name, listed: false });
    else if (found.other !== name) similar.push({ row, ...found });
  }
  return similar;
}
