import type { Command } from 'commander';
import { isTopic } from './topic.ts';

/**
 * The words for Commander when help is asked for, by `help` in front of a command or `--help` after it. An unknown command is
 * left to be an error: Commander would show the help of the command above, as if nothing were wrong.
 */
export function wordsForHelp(program: Command, argv: readonly string[]): readonly string[] {
  const asked = follow(program, argv);
  const [first, ...others] = asked.rest;
  const isHelp = first === 'help' && asked.command.commands.length > 0;
  const words = isHelp ? [...asked.path, ...others, '--help'] : argv;
  const { command, rest } = follow(program, words);
  const [next] = rest;
  const lost = command.commands.length > 0 && next !== undefined && !next.startsWith('-');
  // A topic prints itself.
  const plain = lost || isTopic(command);
  return plain ? words.filter((text) => text !== '--help' && text !== '-h') : words;
}

/** The command that a word calls below another one, by its name or its alias. */
export function commandBelow(command: Command, word: string): Command | undefined {
  return command.commands.find((below) => [below.name(), ...below.aliases()].includes(word));
}

/** How far the first words lead down the tree of commands, and what follows. */
function follow(program: Command, words: readonly string[]) {
  let command = program;
  let depth = 0;
  for (const text of words) {
    const next = commandBelow(command, text);
    if (!next) break;
    command = next;
    depth += 1;
  }
  return { command, path: words.slice(0, depth), rest: words.slice(depth) };
}
