import {
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/petstore.ts';
import { listNow } from '../support/told.ts';

const uid = process.getuid?.();

test.for([
  ['without a home folder', undefined, /no home folder; /],
  ['if a file is in the way', 'file', /cannot use .*file \(\w+\); /],
] as const)(
  '%s a run goes on alone, with one notice',
  async ([, stateFolder, why], { petstore, folder }) => {
    writeFileSync(join(folder, 'file'), '');
    const env = { PETSTORE_STATE_DIR: stateFolder && join(folder, stateFolder) };

    const { exitCode, events } = await petstore(listNow, { env, context: { home: '' } });

    expect(exitCode).toBe(0);
    const [notice, ...others] = events().filter(({ event }) => event === 'notice');
    expect(notice?.message).toMatch(why);
    expect(notice?.message).toContain('is not shared with other petstore processes');
    expect(others).toEqual([]);
  },
);

test.skipIf(uid === undefined).for(['state/limits', 'state'])(
  'no folder of another user is used, and nothing is sent: %s',
  async (name, { petstore, sandbox, folder }) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    // Here root has made it, or else whoever runs the tests.
    if (uid === 0) chownSync(path, 12, 12);

    const { exitCode, events } = await petstore(listNow, { context: { uid: 4711 } });

    expect(exitCode).toBe(74);
    expect(events().at(-1)).toMatchObject({
      message: expect.stringContaining('is owned by another user'),
      hint: expect.stringContaining('Set PETSTORE_STATE_DIR to a folder of your own'),
      outcome: 'not_sent',
    });
    expect(sandbox.requests).toHaveLength(0);
    expect(readdirSync(path)).toEqual([]);
  },
);

test.for<readonly [string, string, (limit: string) => void]>([
  ['a file', 'cannot read the rate limit (ENOTDIR)', (limit) => writeFileSync(limit, '')],
  ['a link to itself', 'cannot read the rate limit (ELOOP)', (limit) => symlinkSync(limit, limit)],
  ['a folder', ' is a directory', (limit) => mkdirSync(join(limit, '9'), { recursive: true })],
])(
  'nothing is sent if the limit cannot be read while a connection stands: %s in its place',
  async ([, says, put], { petstore, sandbox, folder }) => {
    await petstore(listNow);
    const limits = join(folder, 'state', 'limits');
    const limit = join(limits, readdirSync(limits)[0] ?? '');
    let looks = 0;
    sandbox.connect = async () => {
      looks = 1;
      renameSync(limit, join(folder, 'aside'));
      put(limit);
    };
    /** Precedes each look at the limit. All but the first one find it again. */
    const yieldToIo = async () => {
      if (looks === 2) {
        rmSync(limit, { recursive: true });
        renameSync(join(folder, 'aside'), limit);
      }
      if (looks > 0) looks += 1;
    };

    const { exitCode, events } = await petstore('categories create emu --json', {
      context: { yieldToIo },
    });

    expect([exitCode, events().at(-1)]).toMatchObject([
      74,
      { kind: 'output', message: expect.stringContaining(says), outcome: 'not_sent' },
    ]);
    expect(sandbox.requests).toHaveLength(1);
  },
);
