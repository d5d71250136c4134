import type { CommanderError } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { tree } from './tree.ts';

const keyHint =
  "A key typed here is in the shell's history now. Run petstore auth login < KEY_FILE, or set PETSTORE_API_KEY.";
const secret = 'auth|bearer|credential|key|pass|pwd|secret|token';

/** Hints for words of other programs, which are matched against "COMPLAINT (COMMAND)". */
const explanations: readonly (readonly [typed: RegExp, hint: string])[] = [
  [
    /^unknown command '(?:download|dump|export)' \(petstore(?: categories)?\)/,
    'Did you mean: petstore categories list -o csv',
  ],
  [
    /^unknown command '(?:delete|edit|remove|rename|rm|update)' \(petstore(?: categories)?\)/,
    'The service can only list and create categories.',
  ],
  [/^unknown option '--format[='].* list\)/, 'Did you mean: -o'],
  [/^option '-o.* 'jsonl'/, 'Did you mean: ndjson'],
  [new RegExp(`^unknown option '[^=]*(?:${secret})`, 'i'), keyHint],
  [new RegExp(`^[^']* value '[^']*(?:${secret}).* config set\\)`, 'i'), keyHint],
  [/^too many .* \(petstore auth login\)/, keyHint],
  [/^too many .* categories (?:create|get)\)/, 'Put a text of several words in quotes.'],
];

/** Says in Commander's words what is wrong, and in ours what was meant. `written` ends with where the help is. */
export function toUsageFailure({ code, message }: CommanderError, written: string): Failure {
  const form = /^error: (.*?)(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s;
  const [, complaint = message, similar = ''] = form.exec(message) ?? [];
  const [, word = ''] = /^(?:unknown \w+|.*? (?:argument|value)) '(.*?)'/s.exec(complaint) ?? [];
  const [, choices = similar] = / choices are (.*)\.$/.exec(complaint) ?? [];
  const see = written.trim().split('\n').at(-1) ?? '';
  const path = see.replace(/^See: | --help$/g, '');
  const [, hint] = explanations.find(([words]) => words.test(`${complaint} (${path})`)) ?? [];
  // `petstore help list` is an error of another kind.
  const isAtRoot = path === 'petstore' && code === 'commander.unknownCommand';
  const commands = isAtRoot ? listCommands(word) : [];
  const slips = choices.split(', ').filter((choice) => isSlip(word, choice));
  const meant = (commands.length > 0 ? commands : slips).join(', ');
  return usageFailure(
    hint === keyHint ? complaint.replace(/=.*'$/s, "'") : complaint,
    hint ?? (meant ? `Did you mean: ${meant}` : see),
  );
}

/** Returns the commands with this verb below the first heading that has one. */
function listCommands(word: string): string[] {
  const verb = word === 'ls' ? 'list' : word;
  for (const groups of Object.values(tree)) {
    const found = Object.entries(groups).filter(([, [, below]]) => Object.hasOwn(below, verb));
    if (found.length > 0) return found.map(([group]) => `petstore ${group} ${verb}`);
  }
  return [];
}

/** Returns false for words that mean something else: `import` for `export`, `--sort` for `--lost`, `--format` for `--force`. */
function isSlip(typed: string, meant: string): boolean {
  const [letters = '', name = ''] = [typed.toLowerCase(), meant].map((word) =>
    word.replace(/^(?:--|=)/, ''),
  );
  const added = [...name].filter((letter) => !letters.includes(letter));
  return letters[0] === name[0] && added.length * 4 <= name.length;
}
