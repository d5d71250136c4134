import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';
import { type Context, interrupted } from '../support/values.ts';

const settingsOf = (folder: string) => join(folder, 'config', 'settings.json');
const read = (folder: string) => readFileSync(settingsOf(folder), 'utf8');
const pathIn = (program: readonly string[]) => program.at(-1) ?? '';

function write(folder: string, text: string): void {
  mkdirSync(join(folder, 'config'), { recursive: true });
  writeFileSync(settingsOf(folder), text);
}

/** Someone at a terminal: what the editor does to the file each time, and what is said to each question. */
function person(edits: readonly ((path: string) => unknown)[], answers: readonly boolean[] = []) {
  const seen: string[] = [];
  const asked: string[] = [];
  const opened: { program: readonly string[]; env: Context['env'] }[] = [];
  const context: Partial<Context> = {
    stdin: Object.assign(Readable.from(['']), { isTTY: true }),
    launch: async (program, env) => {
      const path = pathIn(program);
      opened.push({ program, env });
      seen.push(readFileSync(path, 'utf8'));
      const result = edits[opened.length - 1]?.(path);
      return typeof result === 'number' ? result : 0;
    },
    confirm: async (question, byDefault) => {
      asked.push(byDefault ? `${question} (Y/n)` : question);
      return answers[asked.length - 1] ?? false;
    },
  };
  return {
    seen,
    asked,
    opened,
    options: {
      columns: 400,
      env: { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined, EDITOR: 'ed' },
      context,
    },
  };
}

const type = (text: string) => (path: string) => writeFileSync(path, text);
const edit = ['config', 'edit', '--no-color'];
const good = '{"profiles": {"production": {"output": "csv"}}}\n';

describe('config edit', () => {
  test('saves what the editor leaves just as it is, for the user alone', async ({
    petstore,
    folder,
  }) => {
    write(folder, '{"default-profile":"staging"}');
    const { options, seen } = person([type(good)]);

    const result = await petstore(edit, options);

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toBe(`petstore: saved ${settingsOf(folder)}\n`);
    expect(seen).toEqual(['{"default-profile":"staging"}']);
    expect(read(folder)).toBe(good);
    expect(statSync(settingsOf(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
  });

  test('opens a copy that is the user’s alone, in a folder that is', async ({
    petstore,
    folder,
  }) => {
    write(folder, '{}');
    const modes: string[] = [];
    const { options } = person([
      (path) => {
        expect(path).not.toBe(settingsOf(folder));
        expect(path.endsWith('/settings.json')).toBe(true);
        for (const at of [path, dirname(path)]) {
          modes.push((statSync(at).mode & 0o777).toString(8));
        }
      },
    ]);

    await petstore(edit, options);

    expect(modes).toEqual(['600', '700']);
  });

  test('opens a frame to fill in where there is no file yet', async ({ petstore, folder }) => {
    const { options, seen } = person([() => {}]);

    const result = await petstore(edit, options);

    expect(seen.map((text) => JSON.parse(text))).toEqual([{ profiles: { production: {} } }]);
    expect(result).toMatchObject({ exitCode: 0, stderr: 'petstore: no changes\n' });
    expect(readdirSync(join(folder, 'config'))).toEqual([]);
  });

  test('saves nothing where nothing was changed, and removes what the editor left', async ({
    petstore,
    folder,
  }) => {
    write(folder, good);
    const inode = statSync(settingsOf(folder)).ino;
    const { options } = person([(path) => writeFileSync(`${path}~`, 'a backup')]);

    expect(await petstore(edit, options)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'petstore: no changes\n',
    });
    expect(statSync(settingsOf(folder)).ino).toBe(inode);
    expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
  });

  test.for([
    {
      what: 'not valid JSON',
      text: '{\n  "profiles": {',
      says: 'the settings file is not valid JSON (settings.json:2:16): ',
    },
    {
      what: 'an unknown setting',
      text: '{"profiles":\n {"production":{"base_url":"x"}}}',
      says: 'invalid settings file (settings.json:2:17): profiles: production: unknown field "base_url"',
    },
    {
      what: 'an invalid base URL',
      text: '{"profiles":{"mine":{\n"base-url":"http://pets.example"}}}',
      says: 'invalid base URL from base-url of profile mine (settings.json:2:1): must start with https://, since http would send the API key unencrypted',
    },
    {
      what: 'an invalid duration',
      text: '{"profiles":{"production":{"max-wait":"soon"}}}',
      says: 'invalid duration "soon" for max-wait of profile production (settings.json:1:28); try ',
    },
    {
      what: 'an invalid plan',
      text: '{"profiles":{"production":{"plan":"gold"}}}',
      says: 'invalid value "gold" for plan of profile production (settings.json:1:28)\npetstore: Must be free, pro, business or N/min,M/day.\n',
    },
    {
      what: 'a blank command',
      text: '{"profiles":{"mine":{"api-key-command":" "}}}',
      says: 'invalid api-key-command from api-key-command of profile mine (settings.json:1:22): must not be blank',
    },
    {
      what: 'an invalid default profile',
      text: '{"default-profile":"a b"}',
      says: 'invalid profile name "a b" from default-profile (settings.json:1:2)',
    },
    {
      what: 'an invalid profile name',
      text: '{"profiles":{"a b":{}}}',
      says: 'invalid profile name "a b" from profiles (settings.json:1:14)',
    },
    {
      what: 'a base URL for the sandbox',
      text: '{"profiles":{"sandbox":{"base-url":"https://a/v1"}}}',
      says: 'invalid base-url of profile sandbox (settings.json:1:25): the sandbox has its own base URL, API key and limit',
    },
    { what: 'empty', text: '', says: 'the settings file is not valid JSON (settings.json:1:1)' },
  ])(
    'says what is wrong with $what, and opens it again',
    async ({ text, says }, { petstore, folder }) => {
      write(folder, '{}');
      const { options, asked, seen } = person([type(text), type(good)], [true]);

      const { exitCode, stderr } = await petstore(edit, options);

      expect(stderr).toContain(`petstore: ${says}`);
      expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: ['Edit again? (Y/n)'] });
      expect(seen).toEqual(['{}', text]);
      expect(read(folder)).toBe(good);
    },
  );

  test('that is not edited again is cancelled: nothing is saved, exit 2', async ({
    petstore,
    folder,
  }) => {
    write(folder, '{}');
    const { options } = person([type('{'), type(good)], [false]);

    const { exitCode, stderr } = await petstore(edit, options);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/\npetstore: cancelled\nNothing was saved\.\n$/);
    expect(read(folder)).toBe('{}');
    expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
  });

  test.for([
    { what: 'broken', text: '{\n  "profiles": {', says: 'the settings file is not valid JSON (' },
    { what: 'of a newer version', text: '{"version":9}', says: 'invalid settings file (' },
    { what: 'invalid', text: '{"default-profile":"a b"}', says: 'invalid profile name "a b"' },
  ])('repairs a file that is $what', async ({ text, says }, { petstore, folder }) => {
    write(folder, text);
    const { options, seen } = person([type(good)]);

    const { exitCode, stderr } = await petstore(edit, options);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(`petstore: ${says}`);
    expect(seen).toEqual([text]);
    expect(read(folder)).toBe(good);
  });

  test('overwrites nothing that another process saved meanwhile, and keeps the copy', async ({
    petstore,
    folder,
  }) => {
    write(folder, '{}');
    let copy = '';
    const { options } = person([
      async (path) => {
        copy = path;
        writeFileSync(path, good);
      },
    ]);
    const { launch } = options.context;
    const meanwhile: Context['launch'] = async (program, env, how) => {
      await petstore(['config', 'set', 'plan', 'pro']);
      return (await launch?.(program, env, how)) ?? 1;
    };

    const { exitCode, stderr } = await petstore(edit, {
      ...options,
      context: { ...options.context, launch: meanwhile },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      `petstore: ${settingsOf(folder)} was changed while you were editing\n` +
        `Nothing was saved. Your version is in ${copy}\n` +
        'To merge the two: petstore config edit\n',
    );
    expect(JSON.parse(read(folder))).toEqual({ profiles: { production: { plan: 'pro' } } });
    expect(readFileSync(copy, 'utf8')).toBe(good);
  });

  test('keeps the copy where the file cannot be written: exit 74', async ({ petstore, folder }) => {
    write(folder, '{}');
    let copy = '';
    const { options } = person([
      (path) => {
        copy = path;
        writeFileSync(path, good);
        writeFileSync(`${settingsOf(folder)}.lock`, '');
      },
    ]);

    const { exitCode, stderr } = await petstore(edit, options);

    expect(exitCode).toBe(74);
    expect(stderr).toContain(`\nNothing was saved. Your version is in ${copy}\n`);
    expect(readFileSync(copy, 'utf8')).toBe(good);
  });

  test('changes the file that a link leads to, and the link stays', async ({
    petstore,
    folder,
  }) => {
    const target = join(folder, 'dotfiles.json');
    mkdirSync(join(folder, 'config'));
    writeFileSync(target, '{}');
    symlinkSync(target, settingsOf(folder));
    const { options } = person([type(good)]);

    expect((await petstore(edit, options)).exitCode).toBe(0);

    expect(lstatSync(settingsOf(folder)).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(good);
  });

  test('says where the default profile does not exist', async ({ petstore }) => {
    const { options } = person([type('{"default-profile":"sandbx"}')]);

    const { exitCode, stderr } = await petstore(edit, options);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'petstore: profile "sandbx" does not exist yet; to undo: petstore config unset default-profile\n',
    );
  });

  test('goes on with nothing when it is terminated: nothing is saved, no copy stays', async ({
    petstore,
    folder,
  }) => {
    write(folder, '{}');
    const terminated = new AbortController();
    const { options } = person([
      (path) => {
        writeFileSync(path, good);
        terminated.abort(interrupted(143));
      },
    ]);

    const { exitCode } = await petstore(edit, { ...options, signal: terminated.signal });

    expect(exitCode).toBe(143);
    expect(read(folder)).toBe('{}');
    expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
  });
});

describe('the editor', () => {
  const of = (env: Context['env'], more: Partial<Context> = {}) => {
    const { options, opened } = person([() => {}]);
    const context = { ...options.context, ...more };
    return { opened, options: { ...options, env: { ...options.env, ...env }, context } };
  };

  test.for([
    { env: { VISUAL: 'code --wait', EDITOR: 'ed' }, editor: 'code --wait' },
    { env: { VISUAL: '', EDITOR: 'ed' }, editor: 'ed' },
    { env: { VISUAL: ' ', EDITOR: undefined }, editor: 'vi' },
  ])(
    'is $editor with $env, and prints to the terminal alone',
    async ({ env, editor }, { petstore }) => {
      const { options, opened } = of(env);

      await petstore(edit, options);

      expect(opened.map(({ program }) => program.slice(0, -1))).toEqual([
        ['sh', '-c', `exec >&2; exec ${editor} "$@"`, editor],
      ]);
    },
  );

  test.for([
    { env: { EDITOR: undefined }, words: ['notepad'] },
    { env: { VISUAL: '"C:\\Program Files\\x.exe" -w' }, words: ['C:\\Program Files\\x.exe', '-w'] },
  ])('is run without a shell on Windows: $words', async ({ env, words }, { petstore }) => {
    const { options, opened } = of(env, { platform: 'win32' });

    await petstore(edit, options);

    expect(opened.map(({ program }) => program.slice(0, -1))).toEqual([words]);
  });

  test('never has the key or the password of the store in its environment', async ({
    petstore,
  }) => {
    const { options, opened } = of({
      PETSTORE_API_KEY: testKey,
      PETSTORE_LIMIT_STORE: 'redis://:open-sesame@h',
    });

    await petstore(edit, options);

    expect(Object.values(opened[0]?.env ?? {}).join()).not.toMatch(/test-key|open-sesame/);
    expect(opened[0]?.env).toMatchObject({ EDITOR: 'ed' });
  });

  test.for([
    {
      exitCode: 3,
      says: 'petstore: editor "ed" exited with code 3\nNothing was saved.\n',
    },
    {
      exitCode: 127,
      says: 'petstore: editor "ed" not found\nNothing was saved.\nSet VISUAL to your editor, for example: export VISUAL=nano\n',
    },
    {
      exitCode: 126,
      says: 'petstore: editor "ed" cannot be executed\nNothing was saved.\nSet VISUAL to your editor, for example: export VISUAL=nano\n',
    },
  ])(
    'that ends with $exitCode saves nothing: exit 2',
    async ({ exitCode, says }, { petstore, folder }) => {
      write(folder, '{}');
      const { options } = person([
        (path) => {
          writeFileSync(path, good);
          return exitCode;
        },
      ]);

      const result = await petstore(edit, options);

      expect([result.exitCode, result.stderr]).toEqual([2, says]);
      expect(read(folder)).toBe('{}');
      expect(readdirSync(join(folder, 'config'))).toEqual(['settings.json']);
    },
  );

  test('that cannot be started is not found', async ({ petstore }) => {
    const launch = () => Promise.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    const { options } = of({}, { launch, platform: 'win32' });

    const { exitCode, stderr } = await petstore(edit, options);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('petstore: editor "ed" not found\n');
  });

  test('that removes its file saves nothing: exit 2', async ({ petstore, folder }) => {
    write(folder, '{}');
    const { options } = person([(path) => rmSync(path)]);

    const { exitCode, stderr } = await petstore(edit, options);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('petstore: editor "ed" removed the file\nNothing was saved.\n');
    expect(read(folder)).toBe('{}');
  });
});

describe('config edit where no editor can be opened', () => {
  const { options } = person([]);
  test.for([
    { what: 'in a pipe', argv: [], more: { context: {} }, why: 'this is not a terminal' },
    { what: 'with --no-input', argv: ['--no-input'], more: {}, why: '--no-input is set' },
    { what: 'in CI', argv: [], more: { env: { CI: 'true' } }, why: 'CI is set' },
  ])('is refused $what: exit 2', async ({ argv, more, why }, { petstore, folder }) => {
    const { exitCode, stdout, stderr } = await petstore([...edit, ...argv], {
      ...options,
      ...more,
    });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(
      `cannot open an editor: ${why}\nNothing was sent.\npetstore config set SETTING VALUE\n`,
    );
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });

  test('is refused with JSON, where a question has no place', async ({ petstore }) => {
    const { exitCode, events } = await petstore([...edit, '--json'], options);

    expect(exitCode).toBe(2);
    expect(events()).toMatchObject([
      {
        event: 'error',
        message: 'cannot open an editor: the output is JSON',
        hint: 'petstore config edit -o table',
      },
    ]);
  });
});
