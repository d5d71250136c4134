import type { Command, Option } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { mayBeKey, quotedUnlessKey } from '../text/secret.ts';
import { commandWith } from '../text/shell.ts';
import { similarTo } from '../text/similar.ts';
import { commandPath } from './help.ts';

const cannotChange = /^(?:delete|rm|remove|update|edit|rename)$/;

/** Describes the first of these words as none of the commands. At the top it may be a verb without its group. */
export function describeUnknownCommand(
  command: Command,
  [word = '', next = '']: readonly string[],
): Failure {
  const path = commandPath(command);
  const names = command.commands.map((below) => below.name());
  const group = command.commands.find((below) => commandBelow(below, word));
  const similar = similarTo(word, names) ?? '';
  const verb = commandBelow(commandBelow(command, similar), next)?.name();
  const meant = group ? [group.name(), word] : [similar, verb];
  let hint = `See: ${path} --help`;
  if (group || similar) hint = `Did you mean: ${[path, ...meant].filter(Boolean).join(' ')}`;
  if (/^petstore(?: categories)?$/.test(path) && cannotChange.test(word)) {
    hint = 'The service cannot delete or change a category.';
  }
  return usageFailure(`unknown command${quotedUnlessKey(word)}`, hint);
}

export function commandBelow(command: Command | undefined, word: string): Command | undefined {
  return command?.commands.find((below) => below.name() === word || below.aliases().includes(word));
}

const secretFlag = /^--?(?:api[-_]?)?(?:key|token|secret|password|bearer)(?!-fil)/i;
const keyInHistory =
  'A key on the command line stays in your shell history: replace it, and pass it to petstore auth login.';

/** Options of earlier versions, and what to do without them. */
const removedOptions: Readonly<Record<string, string>> = {
  '--allow-duplicates':
    'To create a category whose name exists, run petstore categories create NAME, once for each.',
};

export function describeUnknownOption(command: Command, word: string): Failure {
  const [option = ''] = /^(?:--[^=]*|-.)/s.exec(word) ?? [];
  const known = command.options.flatMap(({ long }) => long ?? []);
  if (known.includes(option)) return usageFailure(`${option} takes no value`, seeHelp(command));
  const similar = option.startsWith('--') ? similarTo(option, known) : undefined;
  const hint = similar ? `Did you mean: ${commandPath(command)} ${similar}` : seeHelp(command);
  return usageFailure(
    mayBeKey(option.slice(2)) ? 'unknown option' : `unknown option ${option}`,
    secretFlag.test(word) ? keyInHistory : (removedOptions[option] ?? hint),
  );
}

const examples: Readonly<Record<string, string>> = {
  '<duration>': '5m',
  '<number>': '10',
  '<url>': 'https://HOST/v1',
};

export function describeMissingValue(command: Command, option: Option): Failure {
  const { long, flags, argChoices: [choice] = [] } = option;
  const example = choice ?? examples[flags.replace(/^.* /, '')];
  const such = example === undefined ? '' : `, for example ${long} ${example}`;
  return usageFailure(`${long} needs a value${such}`, seeHelp(command));
}

export function describeMissingArgument(command: Command, name: string): Failure {
  return usageFailure(`missing <${name}>`, seeHelp(command));
}

const unitOfTime = /^(?:[smh]|sec(?:ond)?s?|min(?:ute)?s?|hours?)$/;

export function describeExcess(command: Command, word: string): Failure {
  const message = `unexpected${quotedUnlessKey(word) || ' word'}`;
  const given = command.optsWithGlobals();
  const number = command.options
    .filter(({ flags }) => flags.endsWith('<duration>'))
    .map((option) => given[option.attributeName()])
    .find((value) => /^\d+$/.test(value));
  if (number && unitOfTime.test(word)) {
    return usageFailure(message, `Write ${number}${word.charAt(0)}.`);
  }
  const canSearch = command.options.some(({ long }) => long === '--search') && !mayBeKey(word);
  const search = commandWith(`${commandPath(command)} --search`, word);
  return usageFailure(message, canSearch ? `Did you mean: ${search}` : seeHelp(command));
}

function seeHelp(command: Command): string {
  return `See: ${commandPath(command)} --help`;
}
