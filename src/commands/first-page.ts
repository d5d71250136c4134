import type { Command } from 'commander';
import { wordsOf } from './help.ts';
import { type Item, listOf, pointer, wrap } from './page.ts';
import { isTopic } from './topic.ts';

/** The headings of the first page, in its order. */
export type Part = 'Store' | 'Account' | 'Tools';

/**
 * What `petstore` alone shows: what it is, what to try first, the commands, and where more is said. Of a group it shows the
 * summary alone, which names its commands, so that the page fits a terminal.
 */
export function firstPage(program: Command, examples: readonly string[], width: number): string {
  const commands = program.commands.filter((command) => !isTopic(command));
  const parts = [...new Set(commands.map((command) => command.helpGroup()))];
  const itemsOf = (part: string): readonly Item[] =>
    commands
      .filter((command) => command.helpGroup() === part)
      .map((command) => [wordsOf(command), command.summary()]);
  const topics = program.commands.filter(isTopic).map((topic) => topic.name());
  return [
    wrap(program.description(), width),
    [
      pointer('Try it without an account: ', examples, width),
      pointer('Then log in with your key: ', ['petstore auth login'], width),
    ].join('\n'),
    alignedLists(
      parts.map((part) => [`${part}:`, itemsOf(part)]),
      width,
    ),
    pointer('More help:', ['petstore help COMMAND', ...callsOf(topics, width)], width),
  ].join('\n\n');
}

/** How to call the topics: in one line where it fits below its label. */
function callsOf(topics: readonly string[], width: number): readonly string[] {
  const call = `petstore help ${topics.join('|')}`;
  return call.length + 2 <= width ? [call] : topics.map((topic) => `petstore help ${topic}`);
}

/** Lists whose meanings all begin in the same column. */
function alignedLists(
  lists: readonly (readonly [heading: string, items: readonly Item[]])[],
  width: number,
): string {
  const longest = Math.max(...lists.flatMap(([, items]) => items.map(([term]) => term.length)));
  return lists
    .map(([heading, items]) =>
      listOf(
        heading,
        items.map(([term, text]) => [term.padEnd(longest), text]),
        width,
      ).replace(/ +$/gm, ''),
    )
    .join('\n');
}
