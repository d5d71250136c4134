import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const disk = resolve('test/support/programs/faulty-disk.cjs');
/** What a run ends with whose disk was touched too seldom for the fault to happen. */
const untouched = 99;
const keys = { old: 'the-old-key-0001', new: 'the-new-key-0002' };

const commands = [
  {
    what: 'auth login',
    file: 'keys/production.json',
    args: ['auth', 'login', '--base-url', 'https://a.example/v1'],
    stdin: keys.new,
    whole: (state: 'old' | 'new') => ({ origin: 'https://a.example', key: keys[state] }),
  },
  {
    what: 'config set',
    file: 'settings.json',
    args: ['config', 'set', 'base-url', 'https://new.example/v1'],
    stdin: '',
    whole: (state: 'old' | 'new') => ({
      profiles: { production: { 'base-url': `https://${state}.example/v1` } },
    }),
  },
] as const;

describe.for(commands)('$what', ({ file, args, stdin, whole }) => {
  test.for([
    { fault: 'EIO', ends: [0, 2, 74] },
    { fault: 'ENOSPC', ends: [0, 74] },
    { fault: 'short', ends: [0] },
    { fault: 'kill', ends: [null] },
  ])(
    '$fault at any step: the old file or the new one, and nothing beside it after the next save',
    { timeout: 180_000 },
    async ({ fault, ends }, { petstore, execute, folder }) => {
      const config = join(folder, 'config');
      const path = join(config, file);
      const env = { PETSTORE_CONFIG_DIR: config };
      let at = 0;
      for (let code: number | NodeJS.Signals | null = 0; code !== untouched; ) {
        at += 1;
        rmSync(config, { recursive: true, force: true });
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, JSON.stringify(whole('old')), { mode: 0o600 });
        const broken = await execute(process.execPath, ['--require', disk, launcher, ...args], {
          env: { ...env, FAULT: fault, FAULT_FOLDER: config, FAULT_AT: `${at}` },
          stdin,
        });
        code = broken.code;

        const states = [whole('old'), whole('new')];
        expect(states, `at ${at}`).toContainEqual(JSON.parse(readFileSync(path, 'utf8')));
        if (code === untouched) break;
        expect(ends, broken.stderr).toContain(code);
        if (code !== 0 && code !== null) expect(broken.stderr).toContain(`(${fault})`);
        if (code === 0) expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(whole('new'));
        expect((await petstore(args, { env, stdin })).code).toBe(0);
        expect(filesIn(config)).toEqual([file]);
      }
      expect(at).toBeGreaterThan(fault === 'short' ? 1 : 3);
    },
  );
});

test('all who log in at once have logged in', async ({ petstore, folder }) => {
  const { args } = commands[0];
  const env = { PETSTORE_CONFIG_DIR: join(folder, 'config') };

  const results = await Promise.all(
    Array.from({ length: 12 }, (_, n) => petstore([...args], { env, stdin: `the-key-${n}` })),
  );

  expect(results.map(({ code, stderr }) => [code, stderr].filter((part) => part !== 0))).toEqual(
    results.map(() => [expect.stringContaining('for https://a.example only')]),
  );
  expect(readdirSync(join(folder, 'config', 'keys'))).toEqual(['production.json']);
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
