import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { claimPath, journalPath } from '../../src/import/journal-files.ts';
import { bundle } from '../support/bundle.ts';
import { test as base, expect } from '../support/program.ts';
import type { Commands, Ends } from '../support/programs/commands.ts';
import { isNightly } from '../support/trials.ts';

const isRoot = process.getuid?.() === 0;
/** Modes mean nothing to root. */
const uid = isRoot ? 65_534 : undefined;

const key = 'a-key-of-the-test-0001';
const rows = 'name\nfrog\n';
const sandbox = ['-p', 'sandbox'];
const importing = ['categories', 'import', '-', '--format', 'csv', ...sandbox];

type Command = { readonly argv: readonly string[]; readonly stdin?: string };

const onSettings: readonly Command[] = [
  { argv: ['config', 'set', 'output', 'table'] },
  { argv: ['config', 'list'] },
  { argv: ['auth', 'login'], stdin: key },
  { argv: ['auth', 'status'] },
  { argv: ['auth', 'logout'] },
  { argv: ['doctor'] },
];

const onState: readonly Command[] = [
  { argv: [...importing, '--dry-run'], stdin: rows },
  { argv: [...importing, '--yes'], stdin: rows },
  { argv: ['categories', 'create', 'toad', '--if-missing', ...sandbox] },
  { argv: ['limits', ...sandbox] },
  { argv: ['doctor', ...sandbox] },
];

/** An import waits for what a sandbox has forgotten. */
const onSandbox = onState.filter(({ argv }) => !argv.includes('--yes'));

const config = '.config/petstore';
const state = '.local/state/petstore';
const identity = {
  address: 'sandbox',
  sha256: createHash('sha256').update(rows).digest('hex'),
  mode: 'ensure',
  path: undefined,
} as const;
const scope = createHash('sha256').update(identity.address).digest('hex').slice(0, 16);

/** Every file and folder that petstore keeps, and the commands that come upon it. */
const places: readonly (readonly [string, readonly Command[]])[] = [
  ['.config', onSettings],
  [config, onSettings],
  [`${config}/settings.json`, onSettings],
  [`${config}/settings.json.lock`, onSettings],
  [`${config}/keys`, onSettings],
  [`${config}/keys.lock`, onSettings],
  [`${config}/keys/production.json`, onSettings],
  ['.local', onState],
  [state, onState],
  [`${state}/imports`, onState],
  [journalPath(`${state}/imports`, identity), onState],
  [claimPath(`${state}/imports`, identity), onState],
  [`${state}/imports/0123456789abcdef.journal`, onState],
  [`${state}/names`, onState],
  [`${state}/names/${scope}.lock`, onState],
  [`${state}/names/${scope}.00000000-0000-4000-8000-000000000000`, onState],
  [`${state}/limits`, onState],
  [`${state}/limits/salt`, onState],
  [`${state}/limits/LOG`, onState],
  [`${state}/sandbox`, onSandbox],
  [`${state}/sandbox/requests.log`, onSandbox],
];

type Make = (path: string) => void;

/** What may be found at such a place. */
const found: readonly (readonly [string, Make])[] = [
  ['nothing, in a folder that cannot be changed', (path) => chmodSync(dirname(path), 0o500)],
  ['nothing, in a folder that cannot be entered', (path) => chmodSync(dirname(path), 0)],
  ['a file', (path) => writeFileSync(path, '')],
  [
    'a folder that holds something',
    (path) => mkdirSync(join(path, 'in', 'it'), { recursive: true }),
  ],
  ['a file of mode 0', (path) => writeFileSync(path, '{}', { mode: 0 })],
  ['a file that is read-only', (path) => writeFileSync(path, '{}', { mode: 0o400 })],
  ['a folder of mode 0', (path) => mkdirSync(path, { mode: 0 })],
  ['a folder that is read-only', (path) => mkdirSync(path, { mode: 0o500 })],
  ['a link to nothing', (path) => symlinkSync('/nowhere/at/all', path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a link to a name that is too long', (path) => symlinkSync(`/${'n'.repeat(300)}`, path)],
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a device without an end', (path) => symlinkSync('/dev/zero', path)],
  ['a device that is full', (path) => symlinkSync('/dev/full', path)],
];

const ofRoot: readonly (readonly [string, Make])[] = [
  ['root’s file', (path) => writeFileSync(path, '{}', { mode: 0o600 })],
  ['root’s folder', (path) => mkdirSync(path, { mode: 0o700 })],
  ['root’s folder that all can read', (path) => mkdirSync(path)],
  ['root’s link', (path) => symlinkSync('/nowhere/at/all', path)],
];
const cases = [
  ...found.map(([what, make]) => [what, make, 'user'] as const),
  ...(isRoot ? ofRoot : []).map(([what, make]) => [what, make, 'root'] as const),
];

const test = base.extend<{ runAll: (commands: Commands) => Promise<Ends>; template: string }>({
  /** Runs commands in one process, which is what most of the time would go to. */
  runAll: ({ execute, folder }, use) =>
    use(async (commands) => {
      const input = JSON.stringify(commands);
      // One that waits for ever is ended, and the test fails for want of its end.
      const args = ['30', process.execPath, program];
      const { stdout, stderr } = await execute('timeout', args, { stdin: input, uid });
      execFileSync('chmod', ['-R', 'u+rwX', folder]);
      const ends = stdout.split('\n').filter(Boolean);
      if (ends.length < commands.length) {
        const { argv, home } = commands[ends.length] ?? {};
        throw new Error(`${home}: ${argv?.join(' ')} has no end\n${stderr}`);
      }
      return ends.map((end) => JSON.parse(end));
    }),

  /** A home folder in which everything was used once. */
  template: async ({ folder, runAll }, use) => {
    const home = join(folder, 'template');
    mkdirSync(home);
    for (const path of [folder, home]) ofUser(path);
    const [set, , login] = onSettings;
    const used = [set, login, onState[1]].filter((command) => command !== undefined);
    const ends = await runAll(used.map(({ argv, stdin = '' }) => ({ argv, stdin, home })));
    expect(ends.map(({ code, stderr }) => code && stderr)).toEqual([0, 0, 0]);
    await use(home);
  },
});

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-bad-files-'));
  program = await bundle('test/support/programs/commands.ts', folder);
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A third of the commands meets each thing at a place, and each of them meets a third of the things; at night, all meet all. */
test.for(places.map(([place, commands], index) => [place, commands, index] as const))(
  'whatever stands where %s should be, every command ends as promised and says why',
  async ([place, commands, index], { folder, template, runAll }) => {
    const runs = cases.flatMap(([what, make, whose], row) =>
      commands
        .filter((_, column) => isNightly || (row + column) % 3 === index % 3)
        .map(({ argv, stdin = '' }) => ({ what, make, whose, argv, stdin })),
    );
    const copies = 'for n in $(seq 0 "$2"); do cp -a "$1" "$n"; done';
    execFileSync('sh', ['-c', copies, 'sh', template, String(runs.length - 1)], { cwd: folder });
    const homes = runs.map(({ make, whose }, n) => {
      const home = join(folder, String(n));
      const path = pathIn(home, place);
      rmSync(path, { recursive: true, force: true });
      make(path);
      if (whose === 'user' && exists(path)) ofUser(path);
      return home;
    });

    const ends = await runAll(
      runs.map(({ argv, stdin }, n) => ({ argv, stdin, home: homes[n] ?? '' })),
    );

    for (const [n, { code, stdout, stderr }] of ends.entries()) {
      const { what, argv } = runs[n] ?? { what: '', argv: [] };
      const shown = `${what}: ${argv.join(' ')}\n${code}\n${stderr}`;
      expect([0, 2, 4, 74], shown).toContain(code);
      const error = stderr.slice(stderr.lastIndexOf('\npetstore: ') + 1);
      expect(error.trimEnd().split('\n').length, shown).toBeLessThanOrEqual(3);
      expect(stderr, shown).not.toMatch(/internal error|\bbug\b|\n +at |node:|undefined|\[object/);
      // These show what there is first.
      const shows = argv[0] === 'doctor' || argv[1] === 'status';
      if (code !== 0 && !shows) expect(stdout, shown).toBe('');
    }
  },
);

function ofUser(path: string): void {
  if (isRoot && uid !== undefined) lchownSync(path, uid, uid);
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The log of the limit has a name that only the folder tells. */
function pathIn(home: string, place: string): string {
  const path = join(home, place);
  if (!place.endsWith('/LOG')) return path;
  const name = readdirSync(dirname(path)).find((entry) => entry.endsWith('.log'));
  return join(dirname(path), name ?? '');
}
