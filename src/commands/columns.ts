import type { Command } from 'commander';

const columns = new WeakMap<Command, readonly string[]>();

/** The columns of what a command prints, where they are known before it runs; completion offers them. */
export function addColumns(command: Command, names: readonly string[]): void {
  columns.set(command, names);
}

export function columnsOf(command: Command): readonly string[] {
  return columns.get(command) ?? [];
}
