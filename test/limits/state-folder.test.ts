import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, reply, test } from '../support/petstore.ts';
import { listNow } from '../support/told.ts';

const uid = process.getuid?.();
const own = uid === undefined ? 'petstore' : `petstore-${uid}`;

test.for([
  ['without a home folder', undefined, '', `temporary/${own}`, /no home folder; /],
  ['if a file is in the way', 'file', '', `temporary/${own}`, /cannot use .*file \(\w+\); /],
  ['if the system made a folder for the user', 'file', 'run', 'run/petstore', /cannot use /],
] as const)(
  '%s the limit is shared in another folder',
  async (row, { petstore, sandbox, folder }) => {
    const [, stateFolder, runtime, place, why] = row;
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'run'));
    sandbox.reactions.push(reply(429, {}, { 'retry-after': '900' }));
    const env = {
      PETSTORE_STATE_DIR: stateFolder && join(folder, stateFolder),
      XDG_RUNTIME_DIR: runtime && join(folder, runtime),
    };

    await petstore(listNow, { env, context: { home: '' } });
    const { exitCode, stderr } = await petstore(listNow, { env, context: { home: '' } });

    expect(exitCode).toBe(75);
    expect(stderr).toMatch(why);
    expect(stderr).toContain(`the rate limit is shared in ${join(folder, place)} instead`);
  },
);

test('where nothing can be written, a run goes on alone, with one notice', async ({
  petstore,
  folder,
}) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');

  const options = { env: { PETSTORE_STATE_DIR: file }, context: { temporary: file } };
  const { exitCode, events } = await petstore(listNow, options);

  expect(exitCode).toBe(0);
  expect(events().filter(({ event }) => event === 'notice')).toMatchObject([
    { message: expect.stringContaining('is not shared with other petstore processes') },
  ]);
});

test.skipIf(uid === undefined).for([
  ['state/limits', 'temporary/petstore-4711/limits'],
  ['state', 'temporary/petstore-4711'],
])(
  'no folder of another user is used, and nothing is sent: %s',
  async (names, { petstore, sandbox, folder }) => {
    for (const name of names) mkdirSync(join(folder, name), { recursive: true });
    // Here root has made them, or else whoever runs the tests.
    for (const name of names) if (uid === 0) chownSync(join(folder, name), 12, 12);

    const { exitCode, events } = await petstore(listNow, { context: { uid: 4711 } });

    expect(exitCode).toBe(74);
    expect(events().at(-1)).toMatchObject({
      message: expect.stringContaining('is owned by another user'),
      hint: expect.stringContaining('Set PETSTORE_STATE_DIR to a folder of your own'),
      outcome: 'not_sent',
    });
    expect(sandbox.requests).toHaveLength(0);
    expect(names.flatMap((name) => readdirSync(join(folder, name)))).toEqual([]);
  },
);
