import { type Command, Option } from 'commander';
import { usageFailure } from '../errors.ts';
import { declared, flagOf, type SettingOptions } from '../settings/names.ts';
import { type Setting, settings } from '../settings/table.ts';
import { version } from '../version.ts';

/** The options that every command takes, as Commander names them. */
export type CommonOptions = SettingOptions & {
  readonly json?: boolean;
  readonly columns?: readonly string[];
  readonly query?: string;
  readonly header?: boolean;
  readonly timeout?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly input?: boolean;
};

/** What distinguishes them from a command's own. */
export const commonHeading = 'Options of all commands:';

/** Adds the common options to a command, so that they are taken at any place of the command line. */
export function addCommonOptions(command: Command): void {
  const options = [
    ...Object.values(declared).flatMap(optionsOf),
    new Option('--timeout <duration>', 'timeout for one request (default 30s)'),
    new Option('-q, --quiet', 'print only the result and errors'),
    new Option('-v, --verbose', 'log each request and response'),
    new Option('--no-color', 'disable colour'),
    new Option('--no-input', 'never prompt'),
  ];
  // Help shows them after the command's own.
  command.optionsGroup(commonHeading);
  for (const option of options) {
    // Unset stays unset, so that an option before the verb is not overruled by a default after it.
    option.defaultValue = undefined;
    command.addOption(option);
  }
  for (const { flags, alias } of Object.values(declared)) {
    if (flags && alias) letLastCount(command, flagOf(flags), alias.flag);
  }
  command.version(version, '-V, --version', 'print the version');
  command.addHelpOption(new Option('-h, --help', 'show help'));
}

/** The option of a setting, if it has one, and what belongs next to it in help. */
function optionsOf({ flags, help, choices, alias }: Setting): readonly Option[] {
  if (flags === undefined) return [];
  const option = new Option(flags, help);
  if (choices) option.choices(choices);
  if (!alias) return [option];
  const same = new Option(alias.flag, `same as ${option.short} ${alias.value}`);
  return [option, same, ...(flags === settings.output.flags ? layoutOptions() : [])];
}

/** Of an option and the switch for one of its values, the later one takes the place of the earlier one. */
function letLastCount(command: Command, ...flags: readonly string[]): void {
  const names = flags.map((flag) => flag.slice('--'.length));
  for (const name of names) {
    const others = names.filter((other) => other !== name);
    command.on(`option:${name}`, () => {
      for (const other of others) command.setOptionValue(other, undefined);
    });
  }
}

function layoutOptions(): readonly Option[] {
  const columns = new Option(
    '--columns <names>',
    'fields to print, in the order given, such as id,name',
  );
  return [
    new Option('--query <expression>', "pick from the result with JMESPath, such as '[].name'"),
    columns.argParser(parseColumns),
    new Option('--no-header', 'omit the header row (table, csv, tsv)'),
  ];
}

/** @throws Failure (usage) */
function parseColumns(text: string): readonly string[] {
  const columns = text.split(',').map((name) => name.trim());
  const seen = new Set<string>();
  const wrong = columns.find((name) => name === '' || seen.size === seen.add(name).size);
  if (wrong === undefined) return columns;
  const what = wrong === '' ? 'empty column name' : `duplicate column "${wrong}"`;
  throw usageFailure(`${what} in --columns`, 'For example: --columns id,name');
}

/** The common options of a command line; the one nearest to its end wins. */
export function commonOptions(command: Command): CommonOptions {
  const { json, ...above } = command.parent ? commonOptions(command.parent) : {};
  const given = Object.entries(command.opts()).filter(([, value]) => value !== undefined);
  const own: CommonOptions = Object.fromEntries(given);
  // --json is a format as well: -o after it wins.
  return { ...above, ...(json && !own.output && { json }), ...own };
}
