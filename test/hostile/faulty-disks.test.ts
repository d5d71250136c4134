import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe } from 'vitest';
import { test as base, expect, launcher, type Running } from '../support/program.ts';
import { filesBelow } from '../support/promises.ts';
import { startService } from '../support/service.ts';
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
type Ended = Awaited<Running['ended']>;
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
        const spoilt = {
          FAULT: fault,
          FAULT_FOLDER: below,
          FAULT_AT: `${at}`,
        };
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

type Code = number | NodeJS.Signals;
/** A command that saves, its file, and what the file holds before it and after it. */
type Save = readonly [
  argv: readonly string[],
  file: string,
  whole: (state: 'old' | 'new') => object,
];
type Fault = readonly [fault: string, codes: readonly Code[], minSteps: number];

describe('a save on a disk that fails at any step: the old file or the new one, and nothing beside it after the next', () => {
  let origin = '';
  const accepted = { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' };
  const login: Save = [
    ['auth', 'login', '--base-url', 'URL'],
    'keys/production.json',
    (state) => ({ origin, key: `the-${state}-key-0001` }),
  ];
  const setting: Save = [
    ['config', 'set', 'base-url', 'https://new.example/v1'],
    'settings.json',
    (state) => ({ profiles: { production: { 'base-url': `https://${state}.example/v1` } } }),
  ];
  const faults: readonly Fault[] = [
    ['EIO', [0, 2, 74], 3],
    ['ENOSPC', [0, 74], 3],
    // conf takes the part for the whole, and the settings are read back.
    ['short', [0, 74], 1],
    ['kill', ['SIGKILL'], 3],
  ];
  const rows = [setting, login].flatMap((save) =>
    faults
      .filter(([fault]) => save === setting || fault === 'kill')
      .map(([fault, codes, minSteps]) => [save[1], fault, codes, minSteps, save] as const),
  );

  test.for(rows)(
    '%s: %s',
    { timeout },
    async ([, fault, codes, minSteps, save], { failAtEachStep, petstore, folder }) => {
      const [words, file, whole] = save;
      const { url } = await startService({ react: () => accepted });
      const argv = words.map((word) => (word === 'URL' ? url : word));
      origin = new URL(url).origin;
      const stdin = 'the-new-key-0001';
      const config = join(folder, 'config');
      const path = join(config, file);
      // Each step anew: a service that tells no limit is asked sixty times a minute.
      const state = join(folder, 'state');
      const env = { PETSTORE_CONFIG_DIR: config, PETSTORE_STATE_DIR: state };
      const read = () => JSON.parse(readFileSync(path, 'utf8'));

      const steps = await failAtEachStep(
        fault,
        argv,
        () => {
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
          else if (typeof code === 'number') {
            expect(stderr).toContain(fault === 'short' ? 'took a part of it only' : `(${fault})`);
          }
          expect((await petstore(argv, { env, stdin })).code).toBe(0);
          // A draft that a killed process left goes after an hour.
          const left = filesBelow(config).filter((path) => !dirname(path).endsWith('.tmp'));
          // A login saves its address there.
          const settings = join(config, 'settings.json');
          expect(left.filter((other) => other !== settings)).toEqual(
            path === settings ? [] : [path],
          );
        },
      );

      expect(steps).toBeGreaterThanOrEqual(minSteps);
    },
  );
});

describe('an import on a disk that fails at any step, with a power cut behind it', () => {
  const names = ['dog', 'cat', 'emu'];
  const faults: readonly Fault[] = [
    ['EIO', [0, 2, 74], 9],
    ['ENOSPC', [74], 3],
  ];

  test.for(faults)(
    '%s: the next run ends it, each row once',
    { timeout },
    async ([fault, codes, minSteps], { failAtEachStep, petstore, folder }) => {
      const file = join(folder, 'rows.csv');
      writeFileSync(file, `name\n${names.join('\n')}\n`);
      const argv = ['categories', 'import', file, '--yes', '--settle', '10ms'];
      let failures = 0;

      const steps = await failAtEachStep(
        fault,
        argv,
        async (at) => {
          const home = join(folder, String(at));
          const { env, state } = await serve(home);
          return { env, state, home, below: join(home, 'state', 'ledger') };
        },
        async ({ code, stderr }, { env, state, home, below }, where) => {
          if (code !== untouched) expect(codes, where).toContain(code);
          if (code === 74) expect(stderr).toMatch(/^petstore: .*\((?:EIO|ENOSPC)\)$/m);
          if (code === 74) failures += 1;
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
});

test('where hard links are missing, an import says so', async ({ execute, folder }) => {
  writeFileSync(join(folder, 'rows.csv'), 'name\ndog\n');
  const { env } = await startService();
  const spoilt = { FAULT: 'EPERM', FAULT_FOLDER: '/', FAULT_AT: '1' };
  const argv = ['--require', disk, launcher, 'categories', 'import', 'rows.csv', '--yes'];

  const ended = await execute(process.execPath, argv, { env: { ...env, ...spoilt } });

  expect(ended.code).toBe(74);
  expect(ended.stderr).toMatch(
    /petstore: cannot save \S+ \(no hard links\)\n.*\n?Set PETSTORE_CONFIG_DIR and PETSTORE_STATE_DIR to /,
  );
});

describe('the limits on a disk that fails at any step: the command works, asks once, and so does the next', () => {
  const rows: readonly (readonly [fault: string, below: string])[] = [
    ['EIO', 'state'],
    ['ENOSPC', '/'],
    ['EPERM', '/'],
  ];
  test.for(rows)(
    '%s below %s',
    { timeout },
    async ([fault, below], { failAtEachStep, petstore, folder }) => {
      const argv = ['categories', 'list', '--json', '--max-wait', '5s'];

      const steps = await failAtEachStep(
        fault,
        argv,
        async (at) => {
          const home = join(folder, String(at));
          mkdirSync(home);
          const { env, requests } = await serve(home);
          return { env, requests, home, below: below === '/' ? '/' : join(home, below) };
        },
        async ({ code, stdout, stderr }, { env, requests, home }, where) => {
          expect([0, untouched], where).toContain(code);
          expect(stdout, where).toBe('[]\n');
          expect(requests, where).toHaveLength(1);
          // Only where there is no other place.
          const isAlone = below === '/' && code === 0;
          const notices = stderr.match(
            /the rate limit is not shared with other petstore processes/g,
          );
          // A folder that fails once it is in use is given up.
          const mayBeAlone = isAlone || fault === 'EIO';
          expect([isAlone ? 1 : 0, mayBeAlone ? 1 : 0], where).toContain(notices?.length ?? 0);

          const next = await petstore(argv, { env });

          expect(next, where).toMatchObject({ code: 0, stdout: '[]\n' });
          expect(next.stderr, where).not.toContain('notice');
          rmSync(home, { recursive: true });
        },
      );

      expect(steps).toBeGreaterThanOrEqual(2);
    },
  );
});

/** A service of its own, and the environment of a program that keeps all its files in `home`. */
async function serve(home: string) {
  const { url, key, state, requests } = await startService({ plan: plans.business });
  const env = {
    PETSTORE_BASE_URL: url,
    PETSTORE_API_KEY: key,
    PETSTORE_STATE_DIR: join(home, 'state'),
    PETSTORE_CONFIG_DIR: join(home, 'config'),
  };
  return { env, state, requests };
}

/** Takes from the ledger what was not on the disk yet. */
function cutPower(ledger: string): void {
  if (existsSync(ledger)) for (const path of filesBelow(ledger)) truncateSync(path, 0);
}
