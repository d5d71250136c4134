import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/program.ts';

/** No other test runs as one of them: their place in /tmp depends on nothing else. */
const victim = 4_242_427;
const attacker = 4_242_428;

const list = ['categories', 'list', '--base-url', 'http://127.0.0.1:9/v1'];
const key = 'a-key-of-the-test-0001';

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

test.for<[string, (place: string, precious: string) => void]>([
  ['a folder', (place) => makeFolder(place, attacker, 0o777)],
  [
    'a folder that all may write to',
    (place) => makeFolder(join(place, 'limits'), attacker, 0o1777),
  ],
  [
    'a folder with a link to files of the user',
    (place, precious) => {
      makeFolder(place, attacker, 0o755);
      makeLink(join(place, 'limits'), precious, attacker);
    },
  ],
  ['a link to files of the user', (place, precious) => makeLink(place, precious, attacker)],
])(
  '%s of another user in the temporary folder is not used, and nothing is sent',
  { tags: ['root'] },
  async ([, plant], { petstore, folder, onTestFinished }) => {
    chmodSync(folder, 0o755);
    const precious = makeFolder(join(folder, 'precious'), victim);
    writeFileSync(join(precious, '1'), 'precious');
    const place = `/tmp/petstore-${victim}`;
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    plant(place, precious);

    const env = { HOME: '/nonexistent', PETSTORE_API_KEY: key };
    const { code, stderr } = await petstore(list, { env, uid: victim });

    expect(code, stderr).toBe(74);
    expect(stderr).toContain('Set PETSTORE_STATE_DIR to a folder of your own');
    expect(readdirSync(precious)).toEqual(['1']);
  },
);

test.for<[string, string, string[]]>([
  ['.config/petstore/keys', 'login', ['auth', 'login']],
  ['.config/petstore/keys', 'logout', ['auth', 'logout']],
  ['.config/petstore', 'login', ['auth', 'login']],
  ['.config', 'config', ['config', 'set', 'output', 'json']],
])(
  'root follows no link of the user whose HOME it kept: %s, %s',
  { tags: ['root'] },
  async ([link, , argv], { petstore, folder, serve }) => {
    const service = await serve();
    const home = makeFolder(join(folder, 'user'), victim, 0o755);
    makeFolder(join(home, link, '..'), victim);
    const elsewhere = makeFolder(join(folder, 'elsewhere'), 0, 0o755);
    makeFolder(join(elsewhere, 'keys'), 0, 0o755);
    writeFileSync(join(elsewhere, 'production.json'), '{}');
    makeLink(join(home, link), elsewhere, victim);

    const env = { HOME: home, PETSTORE_BASE_URL: service.env.PETSTORE_BASE_URL };
    const { code, stderr } = await petstore(argv, { env, stdin: service.key });

    expect(code, stderr).toBe(74);
    expect(stderr).toContain(`${join(home, link)} is a symbolic link`);
    expect(readdirSync(elsewhere).sort()).toEqual(['keys', 'production.json']);
    expect(statSync(elsewhere).mode & 0o777).toBe(0o755);
  },
);

test('a HOME that is closed is no obstacle for a user with address and key in the environment', {
  tags: ['root'],
}, async ({ petstore, folder, serve }) => {
  const service = await serve();
  chmodSync(folder, 0o755);
  const home = makeFolder(join(folder, 'home'), attacker);
  const env = {
    ...service.env,
    HOME: home,
    PETSTORE_STATE_DIR: makeFolder(join(folder, 'state'), victim),
  };
  const closed = `cannot read ${home}/.config/petstore/settings.json (EACCES)`;

  const run = (argv: string, more = {}) =>
    petstore(argv.split(' '), { env: { ...env, ...more }, uid: victim });

  const given = await run('categories list -o raw');
  const withoutKey = await run('categories list', { PETSTORE_API_KEY: '' });
  const ends = [
    await run('categories list', { PETSTORE_BASE_URL: '' }),
    await run('config set output json'),
  ];

  expect(given.code, given.stderr).toBe(0);
  expect(given.stderr.split(closed)).toHaveLength(2);
  expect([withoutKey.code, withoutKey.stderr]).toEqual([2, expect.stringContaining('(EACCES)')]);
  for (const { code, stderr } of ends) {
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(/^petstore: .*\nNothing was .*\n.*folders? .*\n$/);
    expect(stderr).toContain(closed);
  }
});

test.for<[string, number, number | undefined, number]>([
  ['another user can write', victim, victim, 0o666],
  ['another user owns', attacker, victim, 0o644],
  ['a user owns, as root', victim, undefined, 0o600],
])(
  'a base URL from a settings file that %s does not get the key',
  { tags: ['root'] },
  async ([, owner, uid, mode], { petstore, folder }) => {
    chmodSync(folder, 0o755);
    const config = makeFolder(join(folder, 'config'), uid ?? victim);
    const file = join(config, 'settings.json');
    const profiles = { production: { 'base-url': 'http://127.0.0.1:9/v1' } };
    writeFileSync(file, JSON.stringify({ profiles }));
    chmodSync(file, mode);
    chownSync(file, owner, owner);

    const env = { PETSTORE_CONFIG_DIR: config, PETSTORE_API_KEY: key };
    for (const argv of [['categories', 'list'], ['doctor']]) {
      const { code, stdout, stderr } = await petstore(argv, { env, uid });

      expect(code, stderr).toBe(2);
      expect(stdout + stderr).toContain('base-url was not used, because other users can change');
    }
  },
);
