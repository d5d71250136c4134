import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/petstore.ts';
import { listNow, refusal } from '../support/told.ts';

test.for([
  ['without a home folder', () => undefined, /no home folder; /],
  ['if a file is in the way', (folder: string) => join(folder, 'file'), /cannot use .*file \(/],
] as const)(
  '%s the limit is shared in the temporary folder',
  async ([, stateFolder, notice], { petstore, sandbox, folder }) => {
    writeFileSync(join(folder, 'file'), '');
    sandbox.reactions.push(refusal(900));
    const options = { env: { PETSTORE_STATE_DIR: stateFolder(folder) }, context: { home: '' } };
    const uid = process.getuid?.();
    const place = join(folder, 'temporary', uid === undefined ? 'petstore' : `petstore-${uid}`);

    await petstore(listNow, options);
    const { exitCode, stderr } = await petstore(listNow, options);

    expect(exitCode).toBe(75);
    expect(stderr).toMatch(notice);
    expect(stderr).toContain(`the rate limit is shared in ${place} instead`);
  },
);

test('the folder that the system made for the user comes before the temporary one', async ({
  petstore,
  folder,
}) => {
  const [file, runtime] = [join(folder, 'file'), join(folder, 'run')];
  writeFileSync(file, '');
  mkdirSync(runtime);

  const env = { PETSTORE_STATE_DIR: file, XDG_RUNTIME_DIR: runtime };
  const { stderr } = await petstore(listNow, { env });

  expect(stderr).toContain(`the rate limit is shared in ${join(runtime, 'petstore')} instead`);
  expect(readdirSync(join(runtime, 'petstore', 'limits'))).toHaveLength(1);
});

test('where nothing can be written, a run goes on alone, with one notice', async ({
  petstore,
  folder,
}) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');

  const { exitCode, events } = await petstore(listNow, {
    env: { PETSTORE_STATE_DIR: file },
    context: { temporary: file },
  });

  expect(exitCode).toBe(0);
  expect(events().filter(({ event }) => event === 'notice')).toMatchObject([
    { message: expect.stringContaining('is not shared with other petstore processes') },
  ]);
});

test.skipIf(!process.getuid).for([
  ['state/limits', 'temporary/petstore-4711/limits'],
  ['state', 'temporary/petstore-4711'],
])(
  'no folder of another user is used, and nothing is sent: %s',
  async (names, { petstore, sandbox, folder }) => {
    for (const name of names) mkdirSync(join(folder, name), { recursive: true });
    // Here root has made them, or else whoever runs the tests.
    for (const name of names) if (process.getuid?.() === 0) chownSync(join(folder, name), 12, 12);

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
