import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, expect, launcher, type Running } from '../support/program.ts';

type Run = (line: string, env: Readonly<Record<string, string>>) => Running['ended'];

const test = base.extend<{ expectAll: (saved: 0 | 2 | 74, run: Run) => Promise<void> }>({
  /** Lists, which works anywhere, then changes a setting and imports; both end with that code, and do nothing unless it is 0. */
  expectAll: ({ serve, folder }, use) =>
    use(async (saved, run) => {
      const { env, requests, state } = await serve();
      writeFileSync(join(folder, 'rows.csv'), 'name\nant\nbee\n');

      const ends = [
        await run('categories list -q', env),
        await run('config set output json -q', env),
        await run('categories import rows.csv --yes -q -o table', env),
      ];

      const said = ends.map(({ stderr }) => stderr);
      expect(
        ends.map(({ code }) => code),
        said.join('\n'),
      ).toEqual([0, saved, saved]);
      for (const text of said) expect(text.split('\n').length, text).toBeLessThanOrEqual(4);
      const names = state.categories.map(({ name }) => name).sort();
      expect(names).toEqual(saved === 0 ? ['ant', 'bee'] : []);
      if (saved === 0) return;
      expect(said.at(-1)).toContain('\nNothing was sent');
      expect(requests).toHaveLength(1);
    }),
});

const isRoot = process.getuid?.() === 0;
/** A number that no user of this machine has. */
const nobodysUid = 4_242_424;

for (const [what, tags, wrapper, saved] of [
  ['that lets no file grow', [], 'ulimit -f 0 && exec', 74],
  [
    'without /proc',
    ['unshare'],
    'exec unshare -m sh -c \'mount -t tmpfs none /proc && exec "$@"\' sh',
    0,
  ],
  // Modes mean nothing to root unless it gives its privileges up.
  [
    'with a read-only home',
    ['setpriv'],
    `HOME=$PWD/locked exec ${isRoot ? 'setpriv --bounding-set=-all' : 'env'}`,
    74,
  ],
] as const) {
  test(`on a machine ${what} it works, or says what it cannot save (exit ${saved})`, {
    tags: [...tags],
  }, async ({ execute, expectAll, folder }) => {
    const locked = join(folder, 'locked');
    mkdirSync(locked, { mode: 0o500 });

    await expectAll(saved, (line, env) =>
      execute('sh', ['-c', `${wrapper} '${process.execPath}' '${launcher}' ${line}`], { env }),
    );

    expect(readdirSync(locked)).toEqual([]);
  });
}

test.for(['list', 'create emu', 'create emu --if-missing', 'import rows.csv --yes'])(
  'with too few file handles %s says so, where Node itself can start',
  async (line, { execute, folder, serve }) => {
    const { env, requests } = await serve();
    writeFileSync(join(folder, 'rows.csv'), 'name\nant\n');
    const refused: number[] = [];
    for (let handles = 16; ; handles += 1) {
      const program = `'${process.execPath}' '${launcher}' categories ${line} -q --max-wait 0`;
      const script = `ulimit -n ${handles}; ${program}; exit $?`;
      const { code, stderr } = await execute('sh', ['-c', script], { env });
      if (code === 134 || code === 139 || /^Node\.js v/m.test(stderr)) continue;
      if (code === 0) break;
      refused.push(handles);
      expect([code, requests.length], stderr).toEqual([74, 0]);
      expect(stderr).toContain('\nNothing was sent.\nAllow more open files (ulimit -n)');
    }
    expect(refused).not.toEqual([]);
  },
);

test('on a Node without WebAssembly it says that it cannot send (exit 74)', async ({ execute }) => {
  const argv = ['--jitless', launcher, 'categories', 'create', 'emu', '-q', '-p', 'sandbox'];

  const { code, stderr } = await execute(process.execPath, argv);

  expect(code).toBe(74);
  // V8 may warn before.
  expect(stderr).toMatch(
    /^petstore: .* WebAssembly.*\nNothing was sent\.\nRun Node without --jitless.*\n$/m,
  );
});

// Later versions of Node reserve no more address space than they may have.
const isGreedy = process.platform === 'linux' && Number.parseInt(process.versions.node, 10) < 24;
test.skipIf(!isGreedy)(
  'with little address space it says how to send all the same',
  async ({ execute }) => {
    const create = `'${process.execPath}' '${launcher}' categories create emu -q --json -p sandbox`;
    const run = (before = '') => execute('sh', ['-c', `ulimit -v 8000000; ${before}${create}`]);

    const { code, stderr } = await run();
    const { message, hint, outcome } = JSON.parse(stderr);

    expect([code, outcome]).toEqual([74, 'not_sent']);
    expect(message).toContain('WebAssembly');
    expect(await run(`${hint.replace('Run: ', '')}; `)).toMatchObject({ code: 0, stderr: '' });
  },
);

test('where neither name nor home of its user is known it works, but saves nothing', {
  tags: ['root'],
}, async ({ petstore, expectAll, folder }) => {
  chownSync(folder, nobodysUid, nobodysUid);

  await expectAll(74, (line, env) =>
    petstore(line, { env: { ...env, HOME: undefined }, uid: nobodysUid }),
  );
});

test('without HOME it finds the home folder in the system’s list', async ({ execute }) => {
  const folder = join(userInfo().homedir, '.config', 'petstore');
  // The first look there fails. The command writes nothing: this is the home of who runs the tests.
  const env = { FAULT: 'EIO', FAULT_FOLDER: folder, FAULT_AT: '1', HOME: undefined };
  const disk = resolve('test/support/programs/faulty-disk.cjs');
  const argv = ['--require', disk, launcher, 'config', 'get', 'output'];

  const { code, stderr } = await execute(process.execPath, argv, { env });

  expect(code).toBe(2);
  expect(stderr).toContain(`cannot read ${join(folder, 'settings.json')} (EIO)`);
});
