import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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

test.skipIf(!process.getuid)(
  'no folder of another user is used',
  async ({ petstore, sandbox, folder }) => {
    const context = { uid: 4711 };
    const limits = ['state', 'temporary/petstore-4711'].map((name) => join(folder, name, 'limits'));
    for (const path of limits) mkdirSync(path, { recursive: true });
    sandbox.reactions.push(refusal(900));

    await petstore(listNow, { context });
    const { exitCode, stderr } = await petstore(listNow, { context });

    expect(exitCode).toBe(0);
    expect(stderr).toContain('the rate limit is not shared with other petstore processes');
    expect(limits.flatMap((path) => readdirSync(path))).toEqual([]);
  },
);
