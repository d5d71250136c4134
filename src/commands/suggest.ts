import type { Command } from 'commander';
import { nearest } from '../text/nearest.ts';
import { wordsOf } from './help.ts';
import { isTopic } from './topic.ts';

/** Commands that change something: a word for looking at things is never taken for one of them. */
const writes = new Set([
  'create',
  'import',
  'login',
  'logout',
  'set',
  'unset',
  'install',
  'uninstall',
  'use',
  'delete',
  'edit',
  'reset',
]);

/** Words of other tools, and the verbs that do the same here: the first one that a group has is meant. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  get: ['list'],
  show: ['list', 'get', 'status'],
  view: ['list', 'get', 'status'],
  describe: ['get', 'list'],
  all: ['list'],
  list: ['status'],
  find: ['list'],
  search: ['list'],
  compare: ['diff'],
  add: ['create', 'set'],
  new: ['create'],
  insert: ['create'],
  load: ['import'],
  upload: ['import'],
  change: ['set'],
  delete: ['delete', 'unset', 'logout', 'uninstall'],
  remove: ['delete', 'unset', 'logout', 'uninstall'],
  rm: ['delete', 'unset', 'logout', 'uninstall'],
  switch: ['use'],
  'use-context': ['use'],
  select: ['use'],
  set: ['use'],
  current: ['list'],
  whoami: ['status'],
  check: ['status'],
  signin: ['login'],
  signout: ['logout'],
};

/** What a word below a group means elsewhere, with all that follows `petstore`. */
const inGroup: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  categories: { search: 'categories list --search TEXT' },
  profile: {
    create: 'auth login --profile NAME',
    add: 'auth login --profile NAME',
    new: 'auth login --profile NAME',
  },
  config: { 'use-context': 'profile use', reset: 'reset --dry-run' },
};

/** The same for the first word, with all that follows `petstore`. */
const firstWords: Readonly<Record<string, string>> = {
  ls: 'categories list',
  list: 'categories list',
  get: 'categories get',
  show: 'categories list',
  search: 'categories list --search TEXT',
  diff: 'categories diff',
  compare: 'categories diff',
  add: 'categories create',
  new: 'categories create',
  create: 'categories create',
  import: 'categories import',
  login: 'auth login',
  logout: 'auth logout',
  whoami: 'auth status',
  status: 'auth status',
  configure: 'auth login',
  init: 'auth login',
  setup: 'auth login',
  settings: 'config list',
  profiles: 'profile list',
  switch: 'profile use',
  'use-context': 'profile use',
  set: 'config set',
  version: '--version',
  quota: 'limits',
  'rate-limit': 'limits',
  ratelimit: 'limits',
  usage: 'limits',
  budget: 'limits',
  check: 'doctor',
  ping: 'doctor --check',
  diagnose: 'doctor',
  mock: 'sandbox',
  serve: 'sandbox',
  purge: 'reset --dry-run',
  clean: 'reset --dry-run',
  wipe: 'reset --dry-run',
  uninstall: 'reset --dry-run',
};

/** Options of other tools, and the names of those that do the same here. */
const options: Readonly<Record<string, string>> = {
  '--jq': 'query',
  '--jmespath': 'query',
  '--jsonpath': 'query',
  '--filter': 'search',
  '--max-items': 'limit',
  '-L': 'limit',
  '--desc': 'sort',
  '--reverse': 'sort',
  '--input': 'data',
};

/** The name of the option among `known` that does what another tool's does. */
export function optionOfOthers(option: string, known: readonly string[]): string | undefined {
  return known.find((name) => name === options[option]);
}

/** The command line that an unknown word below a command may have meant: text to read, which nothing ever runs. */
export function suggest(word: string, above: Command): string | undefined {
  const own = above.commands.map((command) => command.name());
  const lines = above.parent ? (inGroup[above.name()] ?? {}) : firstWords;
  const words = [...own, ...Object.keys(lines), ...(above.parent ? Object.keys(verbs) : [])];
  const meant = nearest(word.toLowerCase(), words, isSafe(word));
  if (meant === undefined) return undefined;
  const found = above.commands.find((command) => command.name() === meant);
  if (found) return `petstore ${isTopic(found) ? 'help ' : ''}${wordsOf(found)}`;
  const line = lines[meant];
  if (line) return `petstore ${line}`;
  const verb = verbs[meant]?.find((verb) => own.includes(verb));
  return verb && `petstore ${wordsOf(above)} ${verb}`;
}

/** A write is suggested for a slip of the finger alone, which seldom changes the first letter. */
function isSafe(word: string): (known: string) => boolean {
  return (known) => !writes.has(known) || known.charAt(0) === word.charAt(0).toLowerCase();
}
