import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test as base, type Ended, expect, type Fixtures, launcher } from '../support/program.ts';
import { filesBelow } from '../support/promises.ts';
import { plans } from '../support/values.ts';

const disk = resolve('test/support/programs/faulty-disk.cjs');
/** What a run ends with whose disk was touched too seldom for the fault to happen. */
const untouched = 99;
const maxSteps = 200;
/** The disk fails at every third step. */
const stride = 3;
const timeout = 300_000;

type Step = {
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The disk fails below this folder. */
  readonly below: string;
};
type Check<S> = (ended: Ended, step: S, where: string) => Promise<void>;

const test = base.extend<{
  /** Lets the disk fail at the first step of a command, then at a later one, until it has no more, and returns their number. */
  failAtEachStep: <S extends Step>(
    fault: string,
    argv: readonly string[],
    prepare: (at: number) => S | Promise<S>,
    check: Check<S>,
  ) => Promise<number>;
}>({
  failAtEachStep: ({ execute }, use) =>
    use(async (fault, argv, prepare, check) => {
      for (let at = 1; at <= maxSteps; at += stride) {
        const step = await prepare(at);
        const { env, stdin = '', below } = step;
        const spoilt = { FAULT: fault, FAULT_FOLDER: below, FAULT_AT: `${at}` };
        const ended = await execute(process.execPath, ['--require', disk, launcher, ...argv], {
          env: { ...env, ...spoilt },
          stdin,
        });
        await check(ended, step, `at ${at}: ${ended.stderr}`);
        if (ended.code === untouched) return at - 1;
      }
      throw new Error(`more than ${maxSteps} steps`);
    }),
});

const setting = ['config', 'set', 'base-url', 'https://new.example/v1'];
const login = ['auth', 'login', '--base-url', 'URL'];

/** Conf takes a part for the whole, so that the settings are read back. */
test.for<[fault: string, argv: string[], codes: Ended['code'][], minSteps: number]>([
  ['EIO', setting, [0, 2, 74], 3],
  ['ENOSPC', setting, [0, 74], 3],
  ['short', setting, [0, 74], 1],
  ['kill', setting, ['SIGKILL'], 3],
  ['kill', login, ['SIGKILL'], 3],
])(
  'a save on a disk that fails at any step leaves the old file or the new one, and nothing beside it after the next: %s, %s',
  { timeout },
  async ([fault, words, codes, minSteps], { failAtEachStep, petstore, folder, serve }) => {
    const { url } = await serve({ react: () => ({ status: 200, body: '[]' }) });
    const argv = words.map((word) => (word === 'URL' ? url : word));
    const [config, state] = [join(folder, 'config'), join(folder, 'state')];
    const settings = join(config, 'settings.json');
    const path = words === login ? join(config, 'keys', 'production.json') : settings;
    const whole = (age: 'old' | 'new') =>
      words === login
        ? { origin: new URL(url).origin, key: `the-${age}-key-0001` }
        : { profiles: { production: { 'base-url': `https://${age}.example/v1` } } };
    const stdin = 'the-new-key-0001';
    const env = { PETSTORE_CONFIG_DIR: config, PETSTORE_STATE_DIR: state };
    const read = () => JSON.parse(readFileSync(path, 'utf8'));

    const steps = await failAtEachStep(
      fault,
      argv,
      () => {
        // A service that tells no limit is asked sixty times a minute.
        for (const old of [config, state]) rmSync(old, { recursive: true, force: true });
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, JSON.stringify(whole('old')), { mode: 0o600 });
        return { env, stdin, below: config };
      },
      async ({ code, stderr }, _, where) => {
        expect([whole('old'), whole('new')], where).toContainEqual(read());
        if (code === untouched) return;
        expect(codes, where).toContain(code);
        if (code === 0) expect(read(), where).toEqual(whole('new'));
        const says = new RegExp(`took a part of it only|\\(${fault}\\)`);
        if (Number(code) > 0) expect(stderr).toMatch(says);
        // The lock of a killed process ends after ten seconds.
        const lock = `${settings}.lock`;
        if (existsSync(lock)) utimesSync(lock, 0, 0);
        expect((await petstore(argv, { env, stdin })).code).toBe(0);
        // A draft that a killed process left goes after an hour. A login saves its address in the settings.
        const left = filesBelow(config).filter((path) => !dirname(path).endsWith('.tmp'));
        const others = left.filter((other) => ![settings, lock].includes(other));
        expect(others).toEqual(words === login ? [path] : []);
      },
    );

    expect(steps).toBeGreaterThanOrEqual(minSteps);
  },
);

const names = ['dog', 'cat', 'emu'];

test.for<[fault: string, codes: Ended['code'][], minSteps: number]>([
  ['EIO', [0, 74], 9],
  ['ENOSPC', [74], 3],
  ['kill', ['SIGKILL'], 9],
])(
  'the run after an import that a disk fails or kills at any step (%s), with a power cut behind it, creates each row once',
  { timeout },
  async ([fault, codes, minSteps], { failAtEachStep, petstore, folder, serve }) => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, `name\n${names.join('\n')}\n`);
    const argv = ['categories', 'import', file, '--yes', '--settle', '10ms'];
    let failures = 0;

    const steps = await failAtEachStep(
      fault,
      argv,
      async (at) => {
        const home = join(folder, String(at));
        return { ...(await startIn(serve, home)), home, below: join(home, 'state', 'ledger') };
      },
      async ({ code, stderr }, { env, state, home, below }, where) => {
        if (code !== untouched) expect(codes, where).toContain(code);
        if (code === 74) expect(stderr).toMatch(/^petstore: .*\((?:EIO|ENOSPC)\)$/m);
        if (code !== 0 && code !== untouched) failures += 1;
        cutPower(below);

        const again = await petstore(argv, { env });

        expect(again.code, where + again.stderr).toBe(0);
        expect(state.categories.map(({ name }) => name).sort(), where).toEqual(names.toSorted());
        rmSync(home, { recursive: true });
      },
    );

    expect(steps).toBeGreaterThanOrEqual(minSteps);
    expect(failures).toBeGreaterThan(0);
  },
);

test('where hard links are missing, an import says so', async ({ execute, folder, serve }) => {
  writeFileSync(join(folder, 'rows.csv'), 'name\ndog\n');
  const { env } = await serve();
  const spoilt = { FAULT: 'EPERM', FAULT_FOLDER: '/', FAULT_AT: '1' };
  const argv = ['--require', disk, launcher, 'categories', 'import', 'rows.csv', '--yes'];

  const ended = await execute(process.execPath, argv, { env: { ...env, ...spoilt } });

  expect(ended.code).toBe(74);
  expect(ended.stderr).toMatch(
    /petstore: cannot save \S+ \(no hard links\)\n.*\n?Set PETSTORE_CONFIG_DIR and PETSTORE_STATE_DIR to /,
  );
});

test.for<[fault: string, below: string]>([
  ['EIO', 'state'],
  ['ENOSPC', '/'],
  ['EPERM', '/'],
])(
  'where the disk fails at any step of the limits (%s below %s), a command works and asks once, or sends nothing',
  { timeout },
  async ([fault, below], { failAtEachStep, petstore, folder, serve }) => {
    const argv = ['categories', 'list', '--json', '--max-wait', '5s'];

    const steps = await failAtEachStep(
      fault,
      argv,
      async (at) => {
        const home = join(folder, String(at));
        mkdirSync(home);
        const service = await startIn(serve, home);
        return { ...service, home, below: below === '/' ? '/' : join(home, below) };
      },
      async ({ code, stdout, stderr }, { env, requests, home }, where) => {
        // What cannot be read just now may hold a wait.
        const isPassing = fault === 'EIO' && code === 74;
        if (!isPassing) expect([0, untouched], where).toContain(code);
        expect([stdout, requests.length], where).toEqual(isPassing ? ['', 0] : ['[]\n', 1]);
        const notices = stderr.match(/the rate limit is not shared with other petstore processes/g);
        expect(notices?.length ?? 0, where).toBe(fault !== 'EIO' && code === 0 ? 1 : 0);

        const next = await petstore(argv, { env });

        expect(next, where).toMatchObject({ code: 0, stdout: '[]\n' });
        expect(next.stderr, where).not.toContain('notice');
        rmSync(home, { recursive: true });
      },
    );

    expect(steps).toBeGreaterThanOrEqual(2);
  },
);

/** A service of its own, and the environment of a program that keeps all its files in `home`. */
async function startIn(serve: Fixtures['serve'], home: string) {
  const { env, state, requests } = await serve({ plan: plans.business });
  const own = {
    PETSTORE_STATE_DIR: join(home, 'state'),
    PETSTORE_CONFIG_DIR: join(home, 'config'),
  };
  return { env: { ...env, ...own }, state, requests };
}

/** Takes from the ledger what was not on the disk yet. */
function cutPower(ledger: string): void {
  if (existsSync(ledger)) for (const path of filesBelow(ledger)) truncateSync(path, 0);
}
