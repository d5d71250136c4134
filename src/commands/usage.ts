import type { Command, CommanderError } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { mayBeKey } from '../text/secret.ts';
import { isTopic } from './topic.ts';

const secretFlag = /^--?(?:api[-_]?)?(?:key|token|secret|password|bearer)/i;

/** Commander's complaint about a command line, in petstore's form and without values that may be secret. */
export function describeUsageError(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): Failure {
  const [complaint = '', suggestion] = withoutKey(error.message).split('\n');
  const [, option] = /^unknown option '(--[^=']*|-.)/.exec(complaint) ?? [];
  if (option !== undefined && argv.some((text) => secretFlag.test(text))) {
    return usageFailure(
      `unknown option ${option}`,
      'A key on the command line is in your shell history now: replace it. petstore auth login takes the new one.',
    );
  }
  const didYouMean = suggestion?.replace(/^\((.*)\)$/, '$1');
  const { path } = follow(program, argv);
  const says = option === undefined ? complaint : `unknown option ${option}`;
  return usageFailure(says, didYouMean ?? `See: ${['petstore', ...path].join(' ')} --help`);
}

/** What Commander says less a wrong word that may be a key; one that is almost a command is none. */
function withoutKey(message: string): string {
  const place = /(?<=^unknown command| argument| value) '(.*)'(?=$| is invalid)/s;
  return message
    .replace(/^error: /, '')
    .replace(place, (quoted, word: string) => (mayBeKey(word) ? '' : quoted));
}

/**
 * The words for Commander when help is asked for, by `help` in front of a command or `--help` behind it. A word that is
 * no command is left to complain about: Commander would show the help of the command above, as if nothing were wrong.
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

/** How far the first words lead down the tree of commands, and what follows. */
function follow(program: Command, words: readonly string[]) {
  let command = program;
  let depth = 0;
  for (const text of words) {
    const next = command.commands.find((candidate) => candidate.name() === text);
    if (!next) break;
    command = next;
    depth += 1;
  }
  return { command, path: words.slice(0, depth), rest: words.slice(depth) };
}
