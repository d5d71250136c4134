import type { Command, CommanderError } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';

const secretFlag = /^--?(?:api-?)?(?:key|token|secret|password)/i;

/** Commander's complaint about a command line, in petstore's form and without the values that were given. */
export function describeUsageError(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): Failure {
  const [complaint = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const [, option] = /^unknown option '([^=']*)/.exec(complaint) ?? [];
  if (option !== undefined) {
    return usageFailure(
      `unknown option ${option}`,
      secretFlag.test(option)
        ? 'A key on the command line is in your shell history now: replace it. petstore auth login takes the new one.'
        : (didYouMean(suggestion) ?? helpOf(program, argv)),
    );
  }
  return usageFailure(complaint, didYouMean(suggestion) ?? helpOf(program, argv));
}

function didYouMean(suggestion: string | undefined): string | undefined {
  return suggestion?.replace(/^\((.*)\)$/, '$1');
}

/** The help of the command that the words of the command line lead to. */
function helpOf(program: Command, argv: readonly string[]): string {
  const path = ['petstore'];
  let command = program;
  for (const word of argv) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) break;
    path.push(word);
    command = next;
  }
  return `See: ${path.join(' ')} --help`;
}
