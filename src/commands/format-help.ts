import type { Command } from 'commander';
import { examplesOf } from './examples.ts';
import { firstPage } from './first-page.ts';
import { aliasOf, argumentsOf, optionItem, optionsOf, usageOf, verbsOf, wordsOf } from './help.ts';
import { notesOf } from './notes.ts';
import { type Item, listOf, pointer, wrap, wrapUsage } from './page.ts';

type Section = readonly [heading: string, items: readonly Item[]];

/** A help page: how to call a command, examples, what it takes, and where the common options are. */
export function formatHelp(
  command: Command,
  { helpWidth = 80 }: { readonly helpWidth?: number | undefined },
): string {
  const examples = examplesOf(command);
  if (!command.parent) return firstPage(command, examples, helpWidth);
  const verbs = command.commands.length > 0 ? verbsOf(command) : [];
  const sections: readonly Section[] = [
    ['Commands:', verbs.map((verb) => [wordsOf(verb), verb.summary()])],
    ['Arguments:', argumentsOf(command)],
    ['Options:', optionsOf(command).own.map(optionItem)],
  ];
  const alias = aliasOf(command);
  const more = [
    ...(alias === undefined ? [] : [pointer('Alias:', [alias], helpWidth)]),
    ...(verbs.length > 0
      ? [pointer('More about a command:', [`petstore help ${wordsOf(command)} COMMAND`], helpWidth)]
      : []),
    pointer(
      'Options of all commands, such as --profile and --json:',
      ['petstore help options'],
      helpWidth,
    ),
  ];
  return [
    wrapUsage(`Usage: ${usageOf(command)}`, helpWidth),
    wrap(command.description(), helpWidth),
    examples.length > 0 && ['Examples:', ...examples].join('\n  '),
    ...sections.map(([heading, items]) => items.length > 0 && listOf(heading, items, helpWidth)),
    ...notesOf(command).map((note) =>
      typeof note === 'string' ? wrap(note, helpWidth) : listOf(...note, helpWidth),
    ),
    more.join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}
