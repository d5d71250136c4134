import { type Argument, type Command, Help, type Option } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { quotedUnlessKey } from '../text/secret.ts';
import type { UsageError } from './complaint.ts';
import { usageOf, wordsOf } from './help.ts';

const secretFlag = /^--?(?:api[-_]?)?(?:key|token|secret|password|bearer)/i;

/** Commander's complaint about a command line, in petstore's form and without values that may be secret. */
export function describeUsageError(
  { code, message, command }: UsageError,
  argv: readonly string[],
): Failure {
  switch (code) {
    case 'commander.help':
      return missingCommand(command);
    case 'commander.unknownCommand':
      return unknownCommand(message, command);
    case 'commander.unknownOption':
      return unknownOption(message, command, argv);
    case 'commander.missingArgument':
      return missingArgument(message, command);
    case 'commander.excessArguments':
      return unexpectedArgument(command);
    case 'commander.optionMissingArgument':
      return missingValue(message, command);
    case 'commander.invalidArgument':
      return invalidValue(message, command);
    default:
      return usageFailure(message.replace(/^error: /, ''), helpFor(command));
  }
}

function missingCommand(command: Command): Failure {
  if (!command.parent) return usageFailure('no command given', helpFor(command));
  const names = command.commands.map((below) => below.name());
  return usageFailure(`missing command after ${callOf(command)}`, `One of: ${names.join(', ')}`);
}

function unknownCommand(message: string, command: Command): Failure {
  const [word = ''] = command.args;
  const question = suggestionIn(message, `${callOf(command)} `);
  // What is almost a command is no key.
  const named = question === undefined ? quotedUnlessKey(word) : ` "${word}"`;
  const where = command.parent ? ` for ${callOf(command)}` : '';
  return usageFailure(`unknown command${named}${where}`, question ?? helpFor(command));
}

/** Returns the first suggestion of Commander, which ends its message as in "(Did you mean one of list, ls?)". */
function suggestionIn(message: string, before = ''): string | undefined {
  const [, name] = /\n\(Did you mean (?:one of )?([\w-]+)[\w, -]*\?\)$/.exec(message) ?? [];
  return name && `Did you mean ${before}${name}?`;
}

function unknownOption(message: string, command: Command, argv: readonly string[]): Failure {
  const [, option = ''] = /^error: unknown option '(--[^=']*|-.)/s.exec(message) ?? [];
  if (argv.some((text) => secretFlag.test(text))) {
    return usageFailure(
      `unknown option ${option}`,
      'A key on the command line is in your shell history now: replace it, then run petstore auth login',
    );
  }
  // Commander reports a value given to a flag as an unknown option.
  if (new Help().visibleOptions(command).some(({ long }) => long === option))
    return usageFailure(`${option} takes no value`, helpFor(command));
  return usageFailure(`unknown option ${option}`, suggestionIn(message) ?? helpFor(command));
}

function missingArgument(message: string, command: Command): Failure {
  const [, name = ''] = /'(.*)'$/.exec(message) ?? [];
  return usageFailure(`missing required argument <${name}>`, `Usage: ${usageOf(command)}`);
}

function unexpectedArgument(command: Command): Failure {
  const taken = command.registeredArguments.map((argument) => `<${argument.name()}>`);
  const word = command.args[taken.length] ?? '';
  const counts = ['none', `one: ${taken[0]}`, `two: ${taken.join(' ')}`];
  return usageFailure(
    `unexpected argument${quotedUnlessKey(word)}; \`${callOf(command)}\` takes ${counts[taken.length]}`,
    hintForArgument(command),
  );
}

function hintForArgument(command: Command): string {
  return command.registeredArguments.length === 0
    ? helpFor(command)
    : `Quote a value that contains spaces. Usage: ${usageOf(command)}`;
}

function missingValue(message: string, command: Command): Failure {
  const option = optionsIn(command).find(({ flags }) => message.includes(`'${flags}'`));
  return usageFailure(
    `missing value for ${option ? nameOf(option) : 'an option'}`,
    option?.argChoices ? oneOf(option) : helpFor(command),
  );
}

function invalidValue(message: string, command: Command): Failure {
  const value = message.slice(message.search(/(?<= argument '| value ')/));
  const option = optionsIn(command).find(({ flags }) =>
    message.startsWith(`error: option '${flags}'`),
  );
  const [, word = ''] = /^(.*)' is invalid/s.exec(value) ?? [];
  const taker =
    option ??
    command.registeredArguments.find((argument) =>
      message.includes(`' is invalid for argument '${argument.name()}'. `),
    );
  const meant = nearest(word, taker?.argChoices ?? []);
  const named = meant === undefined ? quotedUnlessKey(word) : ` "${word}"`;
  const where = option ? nameOf(option) : `<${taker?.name()}>`;
  const asked = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return usageFailure(
    `invalid value${named} for ${where}${asked}`,
    taker ? oneOf(taker) : helpFor(command),
  );
}

function oneOf({ argChoices = [] }: Option | Argument): string {
  return `One of: ${argChoices.join(', ')}`;
}

function nameOf({ long, flags }: Option): string {
  return long ?? flags;
}

/** All that a command takes; common options before its name belong to the command above. */
function optionsIn(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent ? optionsIn(command.parent) : [])];
}

function callOf(command: Command): string {
  return ['petstore', wordsOf(command)].filter(Boolean).join(' ');
}

function helpFor(command: Command): string {
  return `See: ${callOf(command)} --help`;
}
