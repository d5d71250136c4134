import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '../support/program.ts';

const victim = 4_242_427;

const config = '.config/petstore';
const state = '.local/state/petstore';
const createOnce = 'categories create toad --if-missing -p sandbox';
const importRows = 'categories import - --format csv --yes -p sandbox';
const owned = 'is owned by root';
const own = 'Run: sudo chown -R "$(id -un)" ';

test.for([
  [`${config}/settings.json`, 2, 'config set output json', 'settings.json (EACCES)', own],
  [`${config}/keys`, 2, 'auth login', `keys ${owned}`, own],
  [`${config}/keys`, 2, 'auth status', '/keys/production.json (EACCES)'],
  ['.local', 74, importRows, `.local ${owned}`, own],
  [state, 74, 'doctor -p sandbox', `petstore ${owned}`, own],
  [state, 74, importRows, `petstore ${owned}`, own],
  [`${state}/turns`, 74, createOnce, `turns ${owned}`, own],
  [`${state}/limits`, 74, createOnce, `limits ${owned}`, own],
  [`${state}/sandbox`, 74, createOnce, `sandbox ${owned}`, own],
] as const)(
  '%s that root left in a home folder is named (exit %i)',
  { tags: ['root'] },
  async ([left, exit, line, ...says], { petstore, serve, folder }) => {
    const home = join(folder, 'home');
    const path = join(home, left);
    mkdirSync(dirname(path), { recursive: true });
    const below = readdirSync(home, { recursive: true }).map((name) => join(home, String(name)));
    for (const made of [folder, home, ...below]) chownSync(made, victim, victim);
    if (left.endsWith('.json')) writeFileSync(path, '{}', { mode: 0o600 });
    else mkdirSync(path, { mode: 0o700 });

    const service = await serve();
    const { code, stdout, stderr } = await petstore(line, {
      env: { HOME: home, PETSTORE_BASE_URL: service.url },
      stdin: line === 'auth login' ? service.key : 'name\nfrog\nnewt\n',
      uid: victim,
    });

    expect(code, stderr).toBe(exit);
    // The rows of doctor are its result.
    for (const words of says) expect(stderr + stdout).toContain(words);
  },
);

test.for([
  ['config set output json', 2, 'Nothing was saved.'],
  ['auth login', 2, 'Nothing was saved.'],
  ['categories list', 74, 'Nothing was sent.'],
  [createOnce, 74, 'Nothing was sent.'],
  [importRows, 74, 'Nothing was sent.'],
  [`${importRows} --dry-run`, 74, 'Nothing was sent.'],
  ['doctor', 74, ' *Run the command without sudo.'],
] as const)(
  'sudo leaves nothing in the home folder of its user: %s (exit %i)',
  { tags: ['root'] },
  async ([line, exit, consequence], { petstore, folder, serve }) => {
    const service = await serve();
    const home = makeFolder(join(folder, 'user'), victim, 0o755);
    makeFolder(join(home, '.config'), victim, 0o755);
    const env = { HOME: home, PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key };

    const stdin = line === 'auth login' ? service.key : 'name\nfrog\n';
    const { code, stdout, stderr } = await petstore(line.replace(' -p sandbox', ''), {
      env,
      stdin,
    });

    expect(code, stderr).toBe(exit);
    // The rows of doctor are its result.
    const said = stdout + stderr;
    expect(said).toMatch(new RegExp(`is owned by another user \\(${victim}\\)\n${consequence}`));
    expect(said).toContain('Run the command without sudo.');
    expect(readdirSync(home, { recursive: true })).toEqual(['.config']);
  },
);

test.for([
  ['.config/petstore/keys', 'auth login'],
  ['.config/petstore/keys', 'auth logout'],
  ['.config', 'config set output json'],
] as const)(
  'root follows no link of the user whose HOME it kept: %s, %s',
  { tags: ['root'] },
  async ([link, line], { petstore, folder, serve }) => {
    const service = await serve();
    const home = makeFolder(join(folder, 'user'), victim, 0o755);
    makeFolder(join(home, link, '..'), victim);
    const elsewhere = makeFolder(join(folder, 'elsewhere'), 0, 0o755);
    writeFileSync(join(elsewhere, 'production.json'), '{}');
    makeLink(join(home, link), elsewhere, victim);

    const env = { HOME: home, PETSTORE_BASE_URL: service.url };
    const { code, stderr } = await petstore(line, { env, stdin: service.key });

    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(/ is (a symbolic link|owned by another user)/);
    expect(readdirSync(elsewhere)).toEqual(['production.json']);
    expect(statSync(elsewhere).mode & 0o777).toBe(0o755);
  },
);

test('a settings file that cannot be reached counts as absent, with a notice, if the environment gives all that is needed', async ({
  petstore,
  folder,
  serve,
}) => {
  // For root no folder is closed.
  const uid = process.getuid?.() === 0 ? victim : undefined;
  const service = await serve();
  chmodSync(folder, 0o755);
  const HOME = makeFolder(join(folder, 'home'), -1, 0);
  const PETSTORE_STATE_DIR = makeFolder(join(folder, 'state'), uid ?? -1);
  const env = { ...service.env, HOME, PETSTORE_STATE_DIR };
  const closed = `cannot read ${HOME}/.config/petstore/settings.json (EACCES)`;
  const run = (line: string, more = {}) => petstore(line, { env: { ...env, ...more }, uid });

  const given = await run('categories list -o raw');
  const withoutKey = await run('categories list', { PETSTORE_API_KEY: '' });
  const withoutUrl = await run('categories list', { PETSTORE_BASE_URL: '' });
  const saved = await run('config set output json');

  expect(given.code, given.stderr).toBe(0);
  expect(given.stderr.split(closed).length - 1, 'notices of the closed file').toBe(1);
  expect([withoutKey.code, withoutKey.stderr]).toEqual([2, expect.stringContaining('(EACCES)')]);
  for (const { code, stderr } of [withoutUrl, saved]) {
    const error = expect.stringContaining(`${closed}\nNothing was`);
    expect([code, stderr]).toEqual([2, error]);
  }
});

function makeFolder(path: string, owner: number, mode = 0o700): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  chownSync(path, owner, owner);
  return path;
}

function makeLink(path: string, target: string, owner: number): void {
  symlinkSync(target, path);
  lchownSync(path, owner, owner);
}
