import type { CommanderError } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { tree } from './tree.ts';

type Synonym = readonly [words: RegExp, meant: string];

/** What other programs call it, and what it is here. */
const commandSynonyms: readonly Synonym[] = [
  [/^(?:add|new)$/, 'petstore categories create'],
  [/^(?:describe|show|view)$/, 'petstore categories get'],
  [/^(?:download|dump|export)$/, 'petstore categories list -o csv'],
  [/^(?:find|search)$/, 'petstore categories list --search TEXT'],
  [/^whoami$/, 'petstore auth status'],
];
const otherSynonyms: readonly Synonym[] = [
  [/^--(?:debug|trace)$/, '--verbose'],
  [/^--(?:output-)?format$/, '-o'],
  [/^--jq$/, '--query'],
  [/^--(?:endpoint|host|server|url)$/, '--base-url'],
  [/^jsonl$/, 'ndjson'],
];
const impossible = /^unknown command '(?:delete|edit|patch|remove|rename|replace|rm|update)'$/;
const secret = /auth|bearer|credential|key|pass|pwd|secret|token/i;
const keyHint =
  "A key typed here is in the shell's history now. Run petstore auth login < KEY_FILE, or set PETSTORE_API_KEY.";

const messageForm = /^error: (.*?)(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s;
const wordForm =
  /^(?:unknown (?:command|option)|.*(?:argument|value)) '(.*)'(?:$| is invalid.* choices are (.*)\.$)/s;

/** Says in Commander's words what is wrong, and in ours what was meant. `written` ends with where the help is. */
export function toUsageFailure(
  { code, message }: CommanderError,
  written: string,
  argv: readonly string[],
): Failure {
  const [, complaint = message, similar = ''] = messageForm.exec(message) ?? [];
  const [, typed = '', choices = similar] = wordForm.exec(complaint) ?? [];
  const see = written.trim().split('\n').at(-1) ?? '';
  const path = see.replace(/^See: | --help$/g, '');
  const word = typed.replace(/(?<=.)=.*/s, '');
  const isCommand = complaint.startsWith('unknown command');
  const meant = isCommand ? listCommands(word, path, argv) : findSynonym(word, otherSynonyms);
  if (meant.length === 0 && word) {
    meant.push(...choices.split(', ').filter((choice) => isSlip(word, choice)));
  }
  // Commander knows nothing of `petstore help list`.
  const help = isCommand && code === 'commander.error' ? ' --help' : '';
  const hint =
    meant.length > 0
      ? `Did you mean: ${meant.map((one) => one + help).join(', ')}`
      : explain(complaint, word, path, argv);
  const isSecretOption = complaint.startsWith('unknown option') && secret.test(word);
  return usageFailure(isSecretOption ? `unknown option '${word}'` : complaint, hint ?? see);
}

/** Returns the verb of each group that has it, below one heading, or what has another name here. */
function listCommands(word: string, path: string, argv: readonly string[]): string[] {
  const parts = Object.values(tree);
  const isNamed = (name: string) => argv.some((typed) => typed !== word && isSlip(typed, name));
  const group = parts.flatMap(Object.keys).find(isNamed);
  const above = path === 'petstore' && group ? `petstore ${group}` : path;
  // `kubectl get pods` is a list.
  const isOfAll = group && argv.filter((one) => !one.startsWith('-')).length === 2;
  const verb = word === 'ls' || (word === 'get' && isOfAll) ? 'list' : word;
  for (const commands of parts) {
    const groups = Object.entries(commands).filter(
      ([name, [, below]]) =>
        `petstore ${name}`.startsWith(above) &&
        typeof below === 'object' &&
        Object.hasOwn(below, verb),
    );
    if (groups.length > 0) return groups.map(([name]) => `petstore ${name} ${verb}`);
  }
  const below = commandSynonyms.filter(([, meant]) => meant.startsWith(above));
  return findSynonym(word, below);
}

function findSynonym(word: string, synonyms: readonly Synonym[]): string[] {
  return synonyms.filter(([words]) => words.test(word)).map(([, meant]) => meant);
}

/** Rejects what only looks similar: `import` for `export`, `--sort` for `--lost`. */
function isSlip(word: string, meant: string): boolean {
  const [typed, letters] = [lettersOf(word), lettersOf(meant)];
  if (typed[0] !== letters[0] || Math.abs(typed.length - letters.length) > 3) return false;
  return [...letters].filter((letter) => !typed.includes(letter)).length * 4 <= letters.length;
}

/** A minus before a field is a direction. */
function lettersOf(word: string): string {
  return word
    .toLowerCase()
    .replace(/^(?:--|=)/, '')
    .replace(/(?<=.)[^a-z]/g, '');
}

function explain(
  complaint: string,
  word: string,
  path: string,
  argv: readonly string[],
): string | undefined {
  const isExtra = complaint.startsWith('too many');
  const takesKey = complaint.startsWith('unknown option') || path === 'petstore config set';
  if (takesKey && secret.test(word)) return keyHint;
  if (isExtra && path === 'petstore auth login') return keyHint;
  if (impossible.test(complaint) && /^petstore(?: categories)?$/.test(path)) {
    return 'The service can only list and create categories.';
  }
  const [, verb] = / categories (create|get)$/.exec(path) ?? [];
  if (!isExtra || !verb) return undefined;
  const nameForm = new RegExp(` ${verb} ([\\p{L}\\p{M}\\p{N} ]+)(?: -|$)`, 'u');
  const [, name = ''] = nameForm.exec(argv.join(' ')) ?? [];
  if (!name.includes(' ')) return 'Put a text of several words in quotes.';
  return `Put a name of several words in quotes: '${name}'.`;
}
