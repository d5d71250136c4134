import { execFileSync } from 'node:child_process';
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
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { test as base, expect } from '../support/program.ts';
import type { Commands, Ends } from '../support/programs/commands.ts';

const isRoot = process.getuid?.() === 0;
/** Modes mean nothing to root. */
const uid = isRoot ? 4_242_426 : undefined;

const importing = 'categories import - --format csv -p sandbox';
const onSettings = [
  'config set output table',
  'config list',
  'auth login',
  'auth status',
  'auth logout',
  'doctor',
];
const onState = [
  `${importing} --dry-run`,
  'categories create toad --if-missing -p sandbox',
  'limits -p sandbox',
  'doctor -p sandbox',
  `${importing} --yes`,
];
const standardInput = (argv: string) =>
  argv === 'auth login' ? 'a-key-of-a-test' : 'name\nfrog\n';

const config = '.config/petstore';
const state = '.local/state/petstore';
/** All files and folders that petstore keeps, and the commands that meet them. A star stands for what only the folder tells. */
const places: readonly (readonly [place: string, commands: readonly string[]])[] = [
  ...['', '/settings.json', '/keys', '/keys/production.json']
    .map((path) => config + path)
    .concat('.config')
    .map((place) => [place, onSettings] as const),
  ...['', '/sandbox/ledger', '/sandbox/ledger/*', '/turns', '/turns/*', '/limits', '/limits/*']
    .map((path) => state + path)
    .concat('.local')
    .map((place) => [place, onState] as const),
  // An import waits for what a sandbox has forgotten.
  ...['/sandbox', '/sandbox/*'].map((path) => [state + path, onState.slice(0, -1)] as const),
];

/** What may stand at such a place. The last ones are made by root. */
const things: readonly (readonly [thing: string, make: (path: string) => void, isOfRoot?: true])[] =
  [
    ['nothing, in a folder that cannot be changed', (path) => chmodSync(dirname(path), 0o500)],
    ['nothing, in a folder that cannot be entered', (path) => chmodSync(dirname(path), 0)],
    ['a file', (path) => writeFileSync(path, '')],
    ['a folder that is not empty', (path) => mkdirSync(join(path, 'a', 'b'), { recursive: true })],
    ['a file of mode 0', (path) => writeFileSync(path, '{}', { mode: 0 })],
    ['a read-only file', (path) => writeFileSync(path, '{}', { mode: 0o400 })],
    ['a folder of mode 0', (path) => mkdirSync(path, { mode: 0 })],
    ['a link to nothing', (path) => symlinkSync('/nowhere/at/all', path)],
    ['a link to itself', (path) => symlinkSync(path, path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a device without an end', (path) => symlinkSync('/dev/zero', path)],
    ['root’s file', (path) => writeFileSync(path, '{}', { mode: 0o600 }), true],
    ['root’s folder', (path) => mkdirSync(path, { mode: 0o700 }), true],
    ['root’s folder that all can read', (path) => mkdirSync(path), true],
  ];

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-bad-files-'));
  program = await bundle('test/support/programs/commands.ts', folder);
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

type Runs = readonly { readonly argv: string; readonly home: string }[];

const test = base.extend<{ runAll: (runs: Runs) => Promise<Ends> }>({
  /** Runs commands in one process: starting it takes the most time. */
  runAll: ({ execute, folder }, use) =>
    use(async (runs) => {
      const commands: Commands = runs.map(({ argv, home }) => {
        return { argv: argv.split(' '), stdin: standardInput(argv), home };
      });
      const stdin = JSON.stringify(commands);
      const { stdout } = await execute('timeout', ['30', process.execPath, program], {
        stdin,
        uid,
      });
      execFileSync('chmod', ['-R', 'u+rwX', folder]);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((end) => JSON.parse(end));
    }),
});

/** Each command meets a third of the things at a place. */
test.for(places.map((place, index) => [...place, index] as const))(
  'whatever stands where %s should be, every command ends as promised and says why',
  async ([place, commands, index], { folder, runAll }) => {
    const home = (n: number) => join(folder, String(n));
    const template = home(-1);
    mkdirSync(template);
    for (const path of [folder, template]) giveToUser(path);
    const used = [onSettings[0], onSettings[2], onState.at(-1)] as string[];
    const first = await runAll(used.map((argv) => ({ argv, home: template })));
    expect(first.map(({ code, stderr }) => code && stderr)).toEqual([0, 0, 0]);

    const runs = things.flatMap(([thing, make, isOfRoot], row) =>
      commands
        .filter((_, column) => (row + column) % 3 === index % 3)
        .filter(() => isRoot || !isOfRoot)
        .map((argv) => ({ thing, make, isOfRoot, argv })),
    );
    const copies = 'for n in $(seq 0 "$2"); do cp -a "$1" "$n"; done';
    execFileSync('sh', ['-c', copies, 'sh', template, String(runs.length - 1)], { cwd: folder });
    for (const [n, { make, isOfRoot }] of runs.entries()) {
      const path = pathIn(home(n), place);
      rmSync(path, { recursive: true, force: true });
      make(path);
      if (!isOfRoot) giveToUser(path);
    }

    const ends = await runAll(runs.map(({ argv }, n) => ({ argv, home: home(n) })));

    for (const [n, { thing, argv }] of runs.entries()) {
      const { code, stdout, stderr } = ends[n] ?? { code: 'no end', stdout: '', stderr: '' };
      const shown = `${thing}: ${argv}\n${code}\n${stderr}`;
      expect([0, 2, 4, 74], shown).toContain(code);
      const error = stderr.slice(stderr.lastIndexOf('\npetstore: ') + 1);
      expect(error.trimEnd().split('\n').length, shown).toBeLessThanOrEqual(3);
      expect(stderr, shown).not.toMatch(/internal error|\bbug\b|\n +at |node:|undefined|\[object/);
      // These show what there is first.
      if (code !== 0 && !/^doctor|status/.test(argv)) expect(stdout, shown).toBe('');
    }
  },
);

function giveToUser(path: string): void {
  // Only root can, and look below a folder that the user cannot enter.
  if (uid === undefined || !lstatSync(path, { throwIfNoEntry: false })) return;
  lchownSync(path, uid, uid);
}

function pathIn(home: string, place: string): string {
  const folder = dirname(join(home, place));
  const [start = '', end = ''] = basename(place).split('*');
  if (!place.includes('*')) return join(home, place);
  const found = readdirSync(folder).find((name) => name.startsWith(start) && name.endsWith(end));
  return join(folder, found ?? `a${end}`);
}
