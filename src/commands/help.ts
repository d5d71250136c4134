import { type Command, Help, type Option } from 'commander';
import { commonHeading } from '../session/options.ts';
import { examplesOf } from './examples.ts';
import { isTopic, topicsHeading } from './topic.ts';

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

type Item = readonly [term: string, text: string];

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

type Section = readonly [heading: string, items: readonly Item[]];

/** A help page: how to call it, examples, what it takes, and last what every command takes. */
export function formatHelp(command: Command): string {
  const verbs = command.commands.length > 0 ? verbsOf(command) : [];
  const topics = command.commands.filter(isTopic);
  const examples = examplesOf(command);
  const { own, common } = optionsOf(command);
  const sections: readonly Section[] = [
    ['Commands:', verbs.map((verb) => [wordsOf(verb), verb.summary()])],
    [topicsHeading, topics.map((topic) => [`help ${topic.name()}`, topic.summary()])],
    ['Arguments:', argumentsOf(command)],
    ['Options:', own.map(optionItem)],
    [commonHeading, common.map(optionItem)],
  ];
  return [
    `Usage: ${usageOf(command)}`,
    new Help().boxWrap(command.description(), 80),
    examples.length > 0 &&
      [command.parent ? 'Examples:' : 'To try it with nothing set up:', ...examples].join('\n  '),
    ...sections.map(([heading, items]) => items.length > 0 && listOf(heading, items)),
    verbs.length > 0
      ? 'More of each: petstore help COMMAND'
      : 'See also: petstore help exit-codes, petstore help environment',
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Terms and what they mean in two columns, 80 wide at most. */
export function listOf(heading: string, items: readonly Item[]): string {
  const layout = new Help();
  const width = Math.max(...items.map(([term]) => term.length));
  return [
    heading,
    ...items.map(([term, text]) => layout.formatItem(term, width, text, layout)),
  ].join('\n');
}
