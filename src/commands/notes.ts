import type { Command } from 'commander';
import type { Item } from './page.ts';

/** A paragraph, or a heading with terms and what they mean. */
export type Note = string | readonly [heading: string, items: readonly Item[]];

const notes = new WeakMap<Command, readonly Note[]>();

/** What help and man page say of a command below its options; the README's table has no room for it. */
export function addNotes(command: Command, said: readonly Note[]): void {
  notes.set(command, said);
}

export function notesOf(command: Command): readonly Note[] {
  return notes.get(command) ?? [];
}
