import type { Command } from 'commander';

type Columns = {
  readonly usual: readonly string[];
  /** By the long name of the option that makes it print something else. */
  readonly byOption: Readonly<Record<string, readonly string[]>>;
};

const columns = new WeakMap<Command, Columns>();

/** The columns of what a command prints, where they are known before it runs; completion offers them. */
export function addColumns(
  command: Command,
  usual: readonly string[],
  byOption: Columns['byOption'] = {},
): void {
  columns.set(command, { usual, byOption });
}

/** Those that a command has with the options that are given: words such as `--all`. */
export function columnsOf(command: Command, options: readonly string[]): readonly string[] {
  const { usual = [], byOption = {} } = columns.get(command) ?? {};
  const given = options.find((option) => Object.hasOwn(byOption, option)) ?? '';
  return byOption[given] ?? usual;
}
