import type { Command } from 'commander';

const columns = new WeakMap<Command, readonly string[]>();

/** Names the columns of what a command prints, so that completion can offer them. */
export function addColumns(command: Command, names: readonly string[]): void {
  columns.set(command, names);
}

export function columnsOf(command: Command): readonly string[] {
  return columns.get(command) ?? [];
}
