import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, reply, test, testKey } from '../support/petstore.ts';
import { isPrivate } from '../support/posix.ts';
import { saveSettings } from '../support/settings-file.ts';

const list = ['categories', 'list'];
const url = (name: string) => `https://${name}.example/v1`;
const noEnv = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };

describe('auth login', () => {
  const env = { ...noEnv, PETSTORE_BASE_URL: url('a') };

  test('stores the key of standard input, for its owner and one origin alone', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const config = join(folder, 'config');
    const file = join(config, 'keys', 'production.json');
    // Files and `echo` of Windows end lines otherwise.
    sandbox.react = () => reply(200, []);
    for (const ending of ['\n', '\r\n', ' \r\n']) {
      const result = await petstore('auth login', { env, stdin: testKey + ending });

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(result.stderr).toContain('for https://a.example only');
      expect(result.stderr).not.toContain(testKey);
      const stored = JSON.parse(readFileSync(file, 'utf8'));
      expect(stored).toEqual({ origin: 'https://a.example', key: testKey });
    }
    for (const path of [file, join(config, 'keys'), config]) expect(isPrivate(path)).toBe(true);
    expect(readdirSync(join(config, 'keys'))).toHaveLength(1);
  });

  test('the stored key does not go to another origin, however that is given', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.react = () => reply(200, []);
    for (const [own, other] of [
      ['https://a.example', 'https://b.example'],
      ['https://a.example', 'https://x.a.example'],
      ['https://a.example', 'https://a.example:8443'],
      ['https://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ] as const) {
      const given = { ...noEnv, PETSTORE_BASE_URL: `${other}/v1` };
      await petstore(['auth', 'login', '--base-url', `${own}/v1`], { env, stdin: testKey });
      await petstore(['config', 'set', 'base-url', `${other}/v1`, '-p', 'production'], { env });
      for (const [argv, env] of [
        [[...list, '--base-url', `${other}/v1`], noEnv],
        [list, given],
        [[...list, '-p', 'production'], given],
        [list, noEnv],
      ] as const) {
        const { exitCode, stderr } = await petstore(argv, { env });
        expect(exitCode).toBe(2);
        expect(stderr).toContain(`is for ${own}, not for ${other}`);
        const profile = argv.includes('-p') ? ' --profile production' : '';
        expect(stderr).toContain(
          `Run: petstore auth login${profile} --base-url ${other}/v1 < KEY_FILE\n`,
        );
      }
      expect(sandbox.requests.splice(0).map(({ url }) => url.origin)).toEqual([own]);
    }
  });

  test('never asks where nobody would answer', async ({ petstore }) => {
    const terminal = { columns: 80 };
    for (const [CI, flags, stderr] of [
      ['true', [], terminal],
      [undefined, ['--no-input'], terminal],
      [undefined, [], {}],
    ] as const) {
      const stdin = Object.assign(Readable.from([]), { isTTY: true });
      const options = { env: { ...env, CI }, ...stderr, context: { stdin } };
      const result = await petstore(['auth', 'login', '-p', 'staging', ...flags], options);

      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain('Run: petstore auth login --profile staging < KEY_FILE\n');
    }
  });
});

describe('config set', () => {
  test.for(['valueof', 'con2', '0'])(
    'saves for a profile named %s',
    async (profile, { petstore }) => {
      await petstore(['config', 'set', 'base-url', url(profile), '-p', profile], { env: noEnv });
      const { stdout } = await petstore(['config', 'get', 'base-url', '-p', profile], {
        env: noEnv,
      });

      expect(stdout).toBe(`${url(profile)}\n`);
    },
  );
});

describe('a settings file', () => {
  type Make = (file: string) => void;
  const write =
    (text: string | Uint8Array): Make =>
    (file) =>
      writeFileSync(file, text);
  const notString = '): profiles: production: output must be a string, not a number';

  const capitals = 'profiles: "Prod" is not a valid profile name\nNothing was ';

  test.for<[string, Make, string]>([
    ['a pipe', (file) => execFileSync('mkfifo', [file]), 'is not a regular file'],
    ['a folder', (file) => mkdirSync(file), 'is a directory'],
    ['a link to itself', (file) => symlinkSync(file, file), '(ELOOP)'],
    [
      'a link to nothing',
      (file) => symlinkSync('/nowhere/at/all', file),
      'link that leads nowhere\n',
    ],
    ['cut short', write('{\n  "profiles": {'), ':2:16): '],
    ['empty', write(''), ':1:1): unexpected end of input'],
    ['a list', write('[]'), '): must be an object, not an array'],
    ['not UTF-8', write(Buffer.from([0x7b, 0xff, 0x7d])), 'not valid UTF-8'],
    ['of a wrong type', write('{"profiles":{\r\n"production":{"output":1}}}'), notString],
    ['of a profile with capitals', write('{"profiles":{"Prod":{}}}'), capitals],
    ['a name twice', write('{"profiles":{},\n"profiles":{}}'), ':2:'],
  ])('that is %s is named and never replaced', async (row, { petstore, sandbox, folder }) => {
    const [, make, says] = row;
    const file = join(folder, 'config', 'settings.json');
    mkdirSync(join(folder, 'config'));
    make(file);
    const { ino, size, mtimeMs, mode } = lstatSync(file);

    for (const argv of [list, ['config', 'set', 'output', 'json']]) {
      const result = await petstore(argv, { env: noEnv });
      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(file);
      expect(result.stderr).toContain(says);
    }
    expect(lstatSync(file)).toMatchObject({ ino, size, mtimeMs, mode });
    expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([
    [{ profiles: { production: { base_url: 'x', n: '9007199254740993' } } }, 'base_url, n'],
    [{ version: 9 }, 'version'],
  ] as const)(
    'with fields that are not known is used, and keeps them: %j',
    async (row, { petstore, folder }) => {
      const [saved, names] = row;
      const text = JSON.stringify(saved).replace(/"(\d+)"/, '$1');
      const file = saveSettings(folder, text);

      const listed = await petstore([...list, '--json']);
      await petstore('config set output csv -p staging');
      const unset = await petstore('config unset output -p staging');

      const message = `${file} has fields that are not known: ${names}`;
      expect(listed).toMatchObject({ exitCode: 0, stdout: '[]\n' });
      expect(listed.events()[0]).toEqual({ event: 'notice', message });
      expect(unset.exitCode).toBe(0);
      expect(readFileSync(file, 'utf8').replace(/\s/g, '')).toContain(text.slice(1, -2));
    },
  );

  test('can give nothing by the prototype of a profile', async ({ petstore, folder }) => {
    saveSettings(
      folder,
      '{"__proto__":{},"profiles":{"production":{"__proto__":{"output":"json"}}}}',
    );

    const { exitCode, stderr } = await petstore(list);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('not known: __proto__, __proto__\n');
    expect(stderr).not.toContain('{"event"');
  });

  test('with a byte order mark is read and kept', async ({ petstore, folder }) => {
    const file = saveSettings(folder, '\ufeff{"profiles":{"production":{"output":"json"}}}');

    expect((await petstore(list)).stdout).toBe('[]\n');
    expect((await petstore('config set max-wait 3m')).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('"output": "json"');
  });
});
