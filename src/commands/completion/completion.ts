import { Argument, type Command, Help, type Option } from 'commander';
import { Exit } from '../../errors.ts';
import { categoryColumns } from '../../fields.ts';
import type { App } from '../../session/app.ts';
import { loadSettingsFile, profileNames } from '../../session/chosen-profile.ts';
import { addExamples } from '../help.ts';
import { commandBelow, loadCommand } from '../lazy-command.ts';
import { type Shell, scripts, shells } from './scripts.ts';

type Suggestion = readonly [word: string, meaning?: string];

export function define(command: Command, app: App): void {
  addExamples(command, [
    "echo 'source <(petstore completion bash)' >> ~/.bashrc",
    "echo 'source <(petstore completion zsh)' >> ~/.zshrc",
    'petstore completion fish > ~/.config/fish/completions/petstore.fish',
    'petstore completion powershell >> $PROFILE',
  ]);
  command
    .description(
      'Print a Tab completion script. Install it once: it asks petstore at every Tab, so it never needs an update. It sends no request and reads no API key.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .allowExcessArguments(app.isSeparated)
    .action((shell: Shell) => {
      const given = command.args.slice(1);
      if (given.length === 0) return app.sink.print([scripts[shell]]);
      return complete(app, command.parent ?? command, shell, given);
    });
}

async function complete(
  app: App,
  program: Command,
  shell: Shell,
  given: readonly string[],
): Promise<void> {
  const { words, keptLength } = readWords(shell, given);
  const suggestions = await suggest(app, program, words);
  if (suggestions === 'files') return;
  const separator = { bash: undefined, zsh: ':', fish: '\t', powershell: '\t' }[shell];
  const lines = suggestions
    .filter(([word]) => word.startsWith(words.at(-1) ?? ''))
    .map(([word, meaning]) =>
      [word.slice(keptLength), separator && meaning].filter(Boolean).join(separator),
    );
  if (lines.length === 0) throw new Exit(3);
  await app.sink.print(lines);
}

type Words = {
  /** The command line as petstore would get it, with an unfinished last word. */
  readonly words: readonly string[];
  /** The length of the part of the last word that the shell does not replace. */
  readonly keptLength: number;
};

function readWords(shell: Shell, given: readonly string[]): Words {
  const last = given.at(-1) ?? '';
  if (shell === 'powershell')
    return { words: [...given.slice(0, -1), last.slice(1)], keptLength: 0 };
  if (shell !== 'bash') return { words: given, keptLength: 0 };
  // bash makes three words of --output=json and of https://HOST.
  const isBreak = (word = '') => /^[=:]+$/.test(word);
  const words: string[] = [];
  for (const [index, word] of given.entries()) {
    const isPart = index > 0 && (isBreak(word) || isBreak(given[index - 1]));
    words.push(isPart ? `${words.pop()}${word}` : word);
  }
  const replacedLength = isBreak(last) ? 0 : last.length;
  return { words, keptLength: (words.at(-1) ?? '').length - replacedLength };
}

async function suggest(
  app: App,
  program: Command,
  words: readonly string[],
): Promise<readonly Suggestion[] | 'files'> {
  let command = program;
  let option: Option | undefined;
  let argumentCount = 0;
  for (const word of words.slice(words[0] === 'help' ? 1 : 0, -1)) {
    const next = argumentCount === 0 ? commandBelow(command, word) : undefined;
    if (option) option = undefined;
    else if (word.startsWith('-')) option = optionWithValue(command, word);
    else if (next) {
      await loadCommand(next);
      command = next;
    } else argumentCount += 1;
  }
  const typed = words.at(-1) ?? '';
  // Other shells than bash pass --output=js in one piece.
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (value !== undefined) {
    return suggestValues(app, command, optionWithValue(command, name), value, `${name}=`);
  }
  if (option) return suggestValues(app, command, option, typed);
  const isLiteral = words.slice(0, -1).includes('--');
  if (typed.startsWith('-') && !isLiteral) return optionNames(command);
  if (command.commands.length > 0) return namesBelow(command, words);
  return suggestValues(app, command, command.registeredArguments[argumentCount], typed);
}

function optionWithValue({ options }: Command, word: string): Option | undefined {
  return options.find(({ required, long, short }) => required && (long === word || short === word));
}

function optionNames(command: Command): readonly Suggestion[] {
  const options = new Help().visibleOptions(command);
  return options.map(({ long, description }) => [long ?? '', description]);
}

function namesBelow(command: Command, words: readonly string[]): readonly Suggestion[] {
  const isHelp = words[0] === 'help';
  const named = isHelp ? command.commands : new Help().visibleCommands(command);
  const names = named
    .filter((below) => below.name() !== 'help')
    .map((below): Suggestion => [below.name(), below.summary()]);
  return command.parent || isHelp ? names : [...names, ['help', 'Help for a command or a topic']];
}

function suggestValues(
  app: App,
  command: Command,
  taker: Option | Argument | undefined,
  typed: string,
  before = '',
) {
  const placeholder = taker instanceof Argument ? `<${taker.name()}>` : taker?.flags;
  // The JSON of --data may be @FILE.
  if (!taker || !placeholder || /<(?:file|json|command)>/.test(placeholder)) return 'files';
  return listChoices(app, command, taker, typed).map((value): Suggestion => [before + value]);
}

function listChoices({ context }: App, command: Command, taker: Option | Argument, typed: string) {
  if (taker.name() === 'profile') return profileNames(loadSettingsFile(context));
  return taker.name() === 'columns' ? columnLists(command, typed) : (taker.argChoices ?? []);
}

/** Returns the typed list with each column that it lacks, for verbs that print categories. */
function columnLists(command: Command, typed: string): readonly string[] {
  const isOfCategories = command.parent?.name() === 'categories';
  if (!isOfCategories || !['list', 'get', 'create'].includes(command.name())) return [];
  const chosen = typed.split(',').slice(0, -1);
  const others = categoryColumns.filter((name) => !chosen.includes(name));
  return others.map((name) => [...chosen, name].join());
}
