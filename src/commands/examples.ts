import type { Command } from 'commander';

const examples = new WeakMap<Command, readonly string[]>();

/** Lines for a POSIX shell that work as they stand; help shows them before anything else. */
export function addExamples(command: Command, lines: readonly string[]): void {
  examples.set(command, lines);
}

export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
}
