import { createHmac } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { emptyLedger } from '../../../src/pacing/ledger.ts';
import { logFoldersFor } from '../../../src/pacing/log-folders.ts';
import { startTime } from '../../support/clock.ts';
import { expect, type Fixtures, reply, test } from '../../support/petstore.ts';
import { isPosix } from '../../support/posix.ts';

const isRoot = process.getuid?.() === 0;
const list = ['categories', 'list'];

/** Two processes that share nothing of their environment, the first of which is refused with Retry-After: 60. */
async function race({ petstore, sandbox, folder }: Fixtures) {
  const environments = [
    { XDG_RUNTIME_DIR: join(folder, 'run'), TMPDIR: undefined },
    { XDG_RUNTIME_DIR: undefined, TMPDIR: join(folder, 'cron') },
  ];
  for (const name of ['run', 'cron']) mkdirSync(join(folder, name));
  sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }));
  const context = { temporary: join(folder, 'tmp') };
  const [login, cron] = environments;
  const first = await petstore([...list, '--max-wait', '0'], { env: login ?? {}, context });
  const second = await petstore(list, { env: cron ?? {}, context });
  return { first, second };
}

type Setting = {
  readonly what: string;
  readonly prepare: (state: string) => void;
  /** What is said of it, once. */
  readonly says: (state: string) => string;
  readonly asRoot?: boolean;
};

const unusable: Setting[] = [
  {
    what: 'a file is in its place',
    prepare: (state) => writeFileSync(state, ''),
    says: (state) => `cannot use ${state} (EEXIST)`,
  },
  {
    what: 'others can write to its limits',
    prepare(state) {
      mkdirSync(join(state, 'limits'), { recursive: true, mode: 0o700 });
      chmodSync(join(state, 'limits'), 0o777);
    },
    says: (state) => `chmod 700 '${state}/limits'`,
  },
  {
    what: 'its limits are a link',
    prepare(state) {
      mkdirSync(join(state, '..', 'elsewhere'));
      mkdirSync(state);
      symlinkSync(join(state, '..', 'elsewhere'), join(state, 'limits'));
    },
    says: (state) => `rm '${state}/limits'`,
  },
  {
    what: 'its limits belong to another user',
    prepare(state) {
      mkdirSync(join(state, 'limits'), { recursive: true });
      chownSync(join(state, 'limits'), 12_345, 12_345);
    },
    says: (state) => `${state}/limits is owned by another user (12345)`,
    asRoot: true,
  },
];

// What takes its place is named for a user by number.
describe.skipIf(!isPosix)('a state folder that cannot be used', () => {
  for (const { what, prepare, says, asRoot = false } of unusable) {
    test.skipIf(asRoot && !isRoot)(
      `because ${what}: all processes share the one in its place, and each says so once`,
      async ({ petstore, sandbox, folder, clock, forward }) => {
        prepare(join(folder, 'state'));

        const runs = await race({ petstore, sandbox, folder, clock, forward });

        expect(clock.now() - startTime).toBeGreaterThanOrEqual(61_000);
        expect(sandbox.requests).toHaveLength(2);
        for (const { stderr } of Object.values(runs)) {
          const notices = stderr.split('\n').filter((line) => line.includes('is shared in'));
          expect(notices).toHaveLength(1);
          expect(notices[0]).toContain(says(join(folder, 'state')));
        }
        const own = `petstore-${process.getuid?.()}`;
        expect(readdirSync(join(folder, 'tmp'))).toEqual([own]);
        expect(statSync(join(folder, 'tmp', own)).mode & 0o777).toBe(0o700);
      },
    );
  }

  test('on a machine without a home folder is named with the variable that sets one', async ({
    petstore,
    folder,
  }) => {
    const { stderr } = await petstore(list, {
      env: { PETSTORE_STATE_DIR: undefined },
      context: { home: '', temporary: join(folder, 'tmp') },
    });

    expect(stderr).toMatch(/no home folder; .* Set PETSTORE_STATE_DIR to a folder/);
  });
});

describe.skipIf(!isPosix)('a state folder to which others can write', () => {
  test('is used all the same: all processes share a folder in it that is theirs alone', async ({
    petstore,
    sandbox,
    folder,
    clock,
    forward,
  }) => {
    const state = join(folder, 'state');
    mkdirSync(state);
    chmodSync(state, 0o777);

    const runs = await race({ petstore, sandbox, folder, clock, forward });

    expect(clock.now() - startTime).toBeGreaterThanOrEqual(61_000);
    expect(runs.second.stderr).not.toContain('is shared in');
    expect(statSync(state).mode & 0o777).toBe(0o777);
    expect(statSync(join(state, 'limits')).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).not.toContain('tmp');
  });
});

describe('a state folder of another user', () => {
  test.skipIf(!isRoot)(
    'is used by root, who leaves the log in it to that user',
    async ({ petstore, folder }) => {
      const state = join(folder, 'state');
      mkdirSync(state);
      chownSync(state, 12_345, 12_345);

      const { stderr } = await petstore(list);

      expect(stderr).not.toContain('is shared in');
      const limits = join(state, 'limits');
      const made = [limits, ...readdirSync(limits).map((name) => join(limits, name))];
      expect(made.map((path) => statSync(path).uid)).toEqual([12_345, 12_345, 12_345]);
    },
  );
});

describe.skipIf(!isPosix)('the folder in its place', () => {
  test.for([
    {
      what: 'is a symbolic link',
      prepare(place: string) {
        mkdirSync(`${place}-elsewhere`);
        symlinkSync(`${place}-elsewhere`, place);
      },
    },
    {
      what: 'can be changed by others',
      prepare(place: string) {
        mkdirSync(place);
        chmodSync(place, 0o777);
      },
    },
  ])(
    'is not used when it $what, and the notice says so',
    async ({ prepare }, { petstore, folder }) => {
      writeFileSync(join(folder, 'state'), '');
      const place = join(folder, 'tmp', `petstore-${process.getuid?.()}`);
      mkdirSync(join(folder, 'tmp'));
      prepare(place);

      const { exitCode, stderr } = await petstore(list, {
        context: { temporary: join(folder, 'tmp') },
      });

      expect(exitCode).toBe(0);
      expect(
        stderr.match(/the rate limit is not shared with other petstore processes/g),
      ).toHaveLength(1);
      expect(stderr).toContain(`cannot use ${join(folder, 'state')} (EEXIST)`);
      expect(readdirSync(place)).toEqual([]);
    },
  );
});

describe('a salt that a power cut left in part', () => {
  test.for([{ bytes: 0 }, { bytes: 31 }])(
    'of $bytes bytes is passed over for a whole one, the same for all',
    ({ bytes }, { folder }) => {
      const limits = join(folder, 'limits');
      mkdirSync(limits, { mode: 0o700 });
      const part = Buffer.alloc(bytes);
      writeFileSync(join(limits, 'salt'), part);
      const machine = { uid: process.getuid?.(), platform: 'linux', temporary: '/proc/nowhere' };

      for (let n = 0; n < 2; n += 1)
        logFoldersFor(machine, folder, 'identity')[0].open(emptyLedger);

      const logs = readdirSync(limits).filter((name) => name.endsWith('.log'));
      const guessed = createHmac('sha256', part).update('identity').digest('hex').slice(0, 16);
      expect(logs).toHaveLength(1);
      expect(logs[0]).not.toContain(guessed);
    },
  );
});
