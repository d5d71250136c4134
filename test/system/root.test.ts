import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '../support/program.ts';

/** A user of this machine who is not root. */
const uid = 4_242_425;

const importRows = ['categories', 'import', '-', '--format', 'csv', '--yes', '-p', 'sandbox'];
const createOnce = ['categories', 'create', 'toad', '--if-missing', '-p', 'sandbox'];
const saveSetting = ['config', 'set', 'output', 'json'];
const login = ['auth', 'login'];

const config = '.config/petstore';
const state = '.local/state/petstore';
const owned = 'is owned by another user (0)';
const ownFolders = 'PETSTORE_STATE_DIR to';

test.for([
  [`${config}/settings.json`, 2, saveSetting, 'settings.json (EACCES)'],
  [`${config}/keys`, 74, login, 'keys (EPERM)', ownFolders],
  [`${config}/keys`, 2, ['auth', 'status'], '/keys/production.json (EACCES)'],
  ['.local', 74, importRows, '/turns (EACCES)', ownFolders],
  [state, 74, ['doctor', '-p', 'sandbox'], 'petstore (EACCES)', ownFolders],
  [`${state}/turns`, 74, importRows, `turns ${owned}`, ownFolders],
  [`${state}/turns`, 74, createOnce, `turns ${owned}`, ownFolders],
  [`${state}/limits`, 0, createOnce, `limits ${owned}; the rate limit is shared in`, ownFolders],
  [`${state}/sandbox`, 74, createOnce, 'is gone when this command ends', owned, 'ledger (EACCES)'],
] as const)(
  '%s that root left in a home folder is named (exit %i)',
  { tags: ['root'] },
  async ([left, exit, argv, ...says], { petstore, serve, folder }) => {
    const home = join(folder, 'home');
    const path = join(home, left);
    mkdirSync(dirname(path), { recursive: true });
    const below = readdirSync(home, { recursive: true }).map((name) => join(home, String(name)));
    for (const made of [folder, home, ...below]) chownSync(made, uid, uid);
    if (left.endsWith('.json')) writeFileSync(path, '{}', { mode: 0o600 });
    else mkdirSync(path, { mode: 0o700 });

    const { url, key } = await serve();
    const env = { HOME: home, PETSTORE_BASE_URL: url };
    const stdin = argv === login ? key : 'name\nfrog\nnewt\n';
    const { code, stderr } = await petstore(argv, { env, stdin, uid });

    expect(code, stderr).toBe(exit);
    for (const words of says) expect(stderr).toContain(words);
    // The sandbox, whose state is lost too, has a line of its own.
    expect(stderr.split('\n').length, stderr).toBeLessThanOrEqual(5);
  },
);
