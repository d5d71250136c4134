import type { Command } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { mayBeKey, quotedUnlessKey } from '../text/secret.ts';
import { commandPath } from './help.ts';

const suggestion = /\n\(Did you mean (?:one of )?([\w-]+)(?:, [\w, -]+)?\?\)$/;
/** A word of the command line may contain quotes and line breaks. */
const repeatedWord = /(?<=command|' argument|value) '(.*)'(?= is invalid|$)/s;
const secretFlag = /^unknown option '--?(?:api[-_]?)?(?:key|token|secret|password|bearer)(?!-fil)/i;
const keyInHistory =
  'A key on the command line is in your shell history now: replace it, then run petstore auth login';

/** Options of earlier versions, and what to do without them. */
const removedOptions: Readonly<Record<string, string>> = {
  '--allow-duplicates':
    'To create a category whose name exists: petstore categories create NAME, once for each',
};

/** Turns Commander's complaint into a failure, without words that may be an API key. */
export function describeUsageError(command: Command, message: string): Failure {
  const [, similar = ''] = suggestion.exec(message) ?? [];
  const complaint = message
    .replace(suggestion, '')
    .replace(/^error: (?:command-argument )?/, '')
    .replace(repeatedWord, (_, word: string) => quotedUnlessKey(word));
  const [, option] = /^unknown option '(--[^=']*|-.)/s.exec(complaint) ?? [];
  const path = commandPath(command);
  const hint = isTypo(option ?? command.args[0] ?? '', similar)
    ? `Did you mean ${option ? similar : `${path} ${similar}`}?`
    : `See: ${path} --help`;
  if (option !== undefined) {
    const isKnown = command.options.some(({ long }) => long === option);
    const unknown = mayBeKey(option.slice(2)) ? 'unknown option' : `unknown option ${option}`;
    return usageFailure(
      isKnown ? `${option} takes no value` : unknown,
      secretFlag.test(complaint) ? keyInHistory : (removedOptions[option] ?? hint),
    );
  }
  const [, problem = complaint, choices = hint] =
    /^(.*)\. (Allowed choices are .*)$/s.exec(complaint) ?? [];
  return usageFailure(problem, choices);
}

/** Commander would also suggest import for export. */
function isTypo(word: string, similar: string): boolean {
  const [firstLetter] = /^-*\w/.exec(similar) ?? [];
  return firstLetter !== undefined && word.startsWith(firstLetter);
}
