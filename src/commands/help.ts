import { type Command, Help, type Option } from 'commander';
import { commonHeading } from '../session/options.ts';
import type { Item } from './page.ts';
import { isTopic } from './topic.ts';

/** The verbs below a command, or itself when it is one. */
export function verbsOf(command: Command): readonly Command[] {
  if (isTopic(command)) return [];
  return command.commands.length === 0 ? [command] : command.commands.flatMap(verbsOf);
}

/** The words that call a command, without the program's own name: "categories list". */
export function wordsOf(command: Command): string {
  const above = command.parent?.parent ? `${wordsOf(command.parent)} ` : '';
  return command.parent ? above + command.name() : '';
}

/** What a command line of it looks like: "petstore categories create [options] <name>". */
export function usageOf(command: Command): string {
  const rest = command.commands.length > 0 ? '<command> [options]' : command.usage();
  return ['petstore', wordsOf(command), rest].filter(Boolean).join(' ');
}

/** Its other name, as a line of its help; undefined where it has none. */
export function aliasOf(command: Command): string | undefined {
  const [alias] = command.aliases();
  if (alias === undefined || !command.parent) return undefined;
  return `petstore ${wordsOf(command.parent)} ${alias}`;
}

/** The arguments of a command that need more words than their names. */
export function argumentsOf(command: Command): readonly Item[] {
  return command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((taken) => [taken.name(), taken.description]);
}

/** An option, what it means, and the values it may have. */
export function optionItem({ flags, description, argChoices, defaultValue }: Option): Item {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : '';
  const fallback = defaultValue === undefined ? '' : ` (default ${defaultValue})`;
  return [flags, `${description}${choices}${fallback}`];
}

/** The options that a command alone takes, and those that every command takes. */
export function optionsOf(command: Command): { own: readonly Option[]; common: readonly Option[] } {
  const isCommon = (option: Option) => option.helpGroupHeading === commonHeading;
  const all = new Help().visibleOptions(command);
  return { own: all.filter((option) => !isCommon(option)), common: all.filter(isCommon) };
}
