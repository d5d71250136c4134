import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Context, type Environment, isCi, type Output } from '../context.ts';
import { usageFailure } from '../errors.ts';
import { formats, isTabular } from '../formats.ts';
import { isDumb } from '../output/reporter.ts';
import { type SettingOption, settings } from '../settings/settings.ts';
import { version } from '../version.ts';

export type CommonOptions = { readonly [Name in SettingOption]?: string } & {
  readonly apiKeyFile?: string;
  readonly query?: string;
  readonly columns?: readonly string[];
  readonly header?: boolean;
  readonly timeout?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly input?: boolean;
};

export const commonHeading = 'Options of all commands:';

/** Made once and shared by the program, the group and the verb: making them takes longer than adding them. */
const options: readonly Option[] = [
  ...settingOptions(),
  new Option('--api-key-file <file>', 'read the API key from a file, or - for standard input'),
  new Option('--json', 'same as -o json'),
  new Option('--query <expression>', "print only part of the result, such as '[].name' (JMESPath)"),
  new Option('--columns <names>', 'fields to print, in the order given, such as id,name').argParser(
    parseColumns,
  ),
  new Option('--no-header', `omit the header row (${formats.filter(isTabular).join(', ')})`),
  new Option('--timeout <duration>', 'longest time for one request (default 30s)'),
  new Option('-q, --quiet', 'print only the result and errors'),
  new Option('-v, --verbose', 'log each request and response'),
  new Option('--no-color', 'disable colour'),
  new Option('--no-input', 'ask no questions'),
];
const helpOption = new Option('-h, --help', 'show help');

export function addCommonOptions(command: Command): void {
  command.optionsGroup(commonHeading);
  for (const option of options) command.addOption(option);
  command.on('option:json', () => command.setOptionValueWithSource('output', 'json', 'cli'));
  command.version(version, '-V, --version', 'print the version');
  command.addHelpOption(helpOption);
}

/** Returns the common options of a command line; the one nearest to its end wins. */
export function commonOptions(command: Command): CommonOptions {
  const above = command.parent ? commonOptions(command.parent) : {};
  // Commander sets color, input and header to true on each command: --no-color before the verb must not be lost.
  const given = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === 'cli',
  );
  return { ...above, ...Object.fromEntries(given) };
}

export function canPrompt({ stdin, stderr, env }: Context, { input }: CommonOptions): boolean {
  return stdin.isTTY === true && stderr.isTTY && !isCi(env) && input !== false;
}

/** Returns true if a stream gets colours: by FORCE_COLOR, or on a terminal unless they are disabled. */
export function hasColor(stream: Output, env: Environment, { color }: CommonOptions): boolean {
  if (color === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY && !isDumb(env);
}

/** Refuses an option as the value of the one before it: an empty variable in `--description $TEXT --dry-run` would create a category. */
export function refuseOptionsAsValues(command: Command, argv: readonly string[]): void {
  const options = [...command.options, helpOption];
  const find = (word: string) => options.find(({ long, short }) => word === long || word === short);
  // In -qd it is -d that takes the next word.
  const findLast = (word: string): Option | undefined =>
    /^-\w\w/.test(word) && find(word.slice(0, 2))?.required === false
      ? findLast(`-${word.slice(2)}`)
      : find(word);
  for (const [index, word] of argv.entries()) {
    if (word === '--') return;
    const taker = findLast(word);
    const value = argv[index + 1] ?? '';
    if (!taker?.required || !find(value)) continue;
    throw usageFailure(
      `${value} stands where the text of ${taker.long} belongs`,
      `Quote a variable that may be empty. If ${value} is meant, write ${taker.long}=${value}.`,
    );
  }
}

function settingOptions(): readonly Option[] {
  return Object.values(settings).flatMap(({ flags, help, choices }) => {
    if (flags === undefined) return [];
    const option = new Option(flags, help);
    return choices ? option.choices(choices) : option;
  });
}

function parseColumns(text: string): readonly string[] {
  const columns = text.split(',').map((name) => name.trim());
  if (columns.includes('')) throw new InvalidArgumentError('Write names such as id,name.');
  if (new Set(columns).size < columns.length)
    throw new InvalidArgumentError('A name is there twice.');
  return columns;
}
