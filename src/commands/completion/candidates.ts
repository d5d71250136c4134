import { Argument, type Command, Help, type Option } from 'commander';
import { loadCommand } from '../lazy.ts';
import { isTopic } from '../topic.ts';
import { commandBelow } from '../words.ts';

/** What a word may become, and what that means. */
export type Candidate = { readonly value: string; readonly about?: string };

/** A value to find: its kind is what help calls the argument, or the option's name. */
export type Wanted = {
  readonly kind: string;
  readonly command: Command;
  /** The arguments of the command before it. */
  readonly args: readonly string[];
  /** What is typed of it. */
  readonly last: string;
};

/** The values that something may have; `files` are for the shell to find. */
export type ValuesOf = (wanted: Wanted) => Promise<readonly string[] | 'files'>;

/** What a command line has come to after some words. */
type Position = {
  readonly command: Command;
  /** The words that are arguments of the command. */
  readonly args: readonly string[];
  /** Waits for its value. */
  readonly option?: Option | undefined;
  /** Help is asked for: only names of commands and topics follow. */
  readonly help?: boolean;
  /** After `--` no word is an option. */
  readonly literal?: boolean;
};

/** What the last word of a command line may become, by the tree of commands. */
export async function candidates(
  program: Command,
  before: readonly string[],
  last: string,
  valuesOf: ValuesOf,
): Promise<readonly Candidate[] | 'files'> {
  let position: Position = { command: program, args: [] };
  for (const word of before) position = await step(position, word);
  const found = await follow(position, last, valuesOf);
  return found === 'files' ? found : found.filter(({ value }) => value.startsWith(last));
}

async function step(position: Position, word: string): Promise<Position> {
  const { command, args, option, literal } = position;
  if (option) return { ...position, option: undefined };
  if (!literal && word === '--') return { ...position, literal: true };
  if (!literal && isFlag(word)) return { ...position, option: waiting(command, word) };
  const next = args.length === 0 && commandBelow(command, word);
  if (next) {
    await loadCommand(next);
    return { ...position, command: next };
  }
  if (word === 'help' && command.commands.length > 0) return { ...position, help: true };
  return { ...position, args: [...args, word] };
}

async function follow(
  position: Position,
  last: string,
  valuesOf: ValuesOf,
): Promise<readonly Candidate[] | 'files'> {
  const { command, args, option, help, literal } = position;
  const valuesFor = (taker: Option | Argument, typed: string) =>
    values(taker, { command, args, last: typed }, valuesOf);
  if (option) return valuesFor(option, last);
  if (!literal && !help && isFlag(last)) return flags(command, last, valuesFor);
  const names = args.length === 0 ? namesBelow(command, help ?? false) : [];
  if (help || names.length > 0) return names;
  const argument = command.registeredArguments[args.length] ?? variadic(command);
  const found = argument ? await valuesFor(argument, last) : [];
  // With nothing else to say, what options there are is better than nothing.
  return found.length === 0 && !literal && last === '' ? optionNames(command) : found;
}

function isFlag(word: string): boolean {
  return word.startsWith('-');
}

/** The option of a word that is still without its value: `--sort`, `-o`, `-qo`. */
function waiting(command: Command, word: string): Option | undefined {
  if (word.startsWith('--')) {
    return command.options.find(({ long, required }) => long === word && required);
  }
  const letters = [...word.slice(1)];
  const shortOf = (letter: string) => command.options.find(({ short }) => short === `-${letter}`);
  const at = letters.findIndex((letter) => shortOf(letter)?.required);
  // What follows the letter of an option that takes a value is that value.
  return at >= 0 && at === letters.length - 1 ? shortOf(letters[at] ?? '') : undefined;
}

async function flags(
  command: Command,
  last: string,
  valuesFor: (option: Option, typed: string) => Promise<readonly Candidate[] | 'files'>,
): Promise<readonly Candidate[] | 'files'> {
  const [, name, typed = ''] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  if (name === undefined) return optionNames(command);
  const option = waiting(command, name);
  const found = option ? await valuesFor(option, typed) : [];
  return found === 'files' ? found : found.map(({ value }) => ({ value: `${name}=${value}` }));
}

function optionNames(command: Command): readonly Candidate[] {
  return new Help()
    .visibleOptions(command)
    .map(({ long, description }) => ({ value: long ?? '', about: description }));
}

const helpName: Candidate = { value: 'help', about: 'Help for a command or a topic' };

function namesBelow(command: Command, help: boolean): readonly Candidate[] {
  const names = command.commands
    .filter((below) => help || !isTopic(below))
    .map((below) => ({ value: below.name(), about: below.summary() }));
  return help || command.parent ? names : [...names, helpName];
}

function variadic(command: Command): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

/** The values of an option or an argument: its choices, or what is known of its kind. */
async function values(
  taker: Option | Argument,
  place: Omit<Wanted, 'kind'>,
  valuesOf: ValuesOf,
): Promise<readonly Candidate[] | 'files'> {
  const found = taker.argChoices ?? (await valuesOf({ kind: kindOf(taker), ...place }));
  return found === 'files' ? found : found.map((value) => ({ value }));
}

/** What help calls an argument; an option goes by its own name, but a file is a file everywhere. */
function kindOf(taker: Option | Argument): string {
  if (taker instanceof Argument) return taker.name();
  return taker.flags.endsWith('<file>') ? 'file' : taker.name();
}
