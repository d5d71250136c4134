import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from './program.ts';

const disk = resolve('test/processes/faulty-disk.cjs');
/** What a run ends with whose disk was touched too seldom for the fault to happen. */
const untouched = 99;
const keys = { old: 'the-old-key-0001', new: 'the-new-key-0002' };

const commands = [
  {
    what: 'auth login',
    file: 'keys/production.json',
    run: (state: 'old' | 'new') => ({
      args: ['auth', 'login', '--base-url', 'https://a.example/v1'],
      stdin: keys[state],
    }),
    whole: (state: 'old' | 'new') => ({ origin: 'https://a.example', key: keys[state] }),
  },
  {
    what: 'config set',
    file: 'settings.json',
    run: (state: 'old' | 'new') => ({
      args: ['config', 'set', 'base-url', `https://${state}.example/v1`],
      stdin: '',
    }),
    whole: (state: 'old' | 'new') => ({
      profiles: { production: { 'base-url': `https://${state}.example/v1` } },
    }),
  },
] as const;

describe.for(commands)('$what', ({ file, run, whole }) => {
  test.for([
    { fault: 'fail', ends: [0, 2, 74] },
    { fault: 'short', ends: [0] },
    { fault: 'kill', ends: [null] },
  ])(
    'the disk may $fault at any step: the old file or the new one, and nothing beside it after the next save',
    { timeout: 180_000 },
    async ({ fault, ends }, { petstore, execute, folder }) => {
      const config = join(folder, 'config');
      const path = join(config, file);
      const env = { PETSTORE_CONFIG_DIR: config };
      let at = 0;
      for (let code: number | null = 0; code !== untouched; ) {
        at += 1;
        rmSync(config, { recursive: true, force: true });
        const { args, stdin } = run('old');
        expect((await petstore(args, { env, stdin })).code).toBe(0);

        const again = run('new');
        const broken = await execute(
          process.execPath,
          ['--require', disk, launcher, ...again.args],
          {
            env: { ...env, FAULT: fault, FAULT_FOLDER: config, FAULT_AT: `${at}` },
            stdin: again.stdin,
          },
        );
        code = broken.code;

        const states = [whole('old'), whole('new')];
        expect(states, `at ${at}`).toContainEqual(JSON.parse(readFileSync(path, 'utf8')));
        if (code === untouched) break;
        expect(ends, broken.stderr).toContain(code);
        if (code !== 0 && code !== null) expect(broken.stderr).toContain('(EIO)');
        if (code === 0) expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(whole('new'));
        // The lock of a killed process counts no more once it is old.
        if (existsSync(`${path}.lock`)) utimesSync(`${path}.lock`, 0, 0);
        expect((await petstore(again.args, { env, stdin: again.stdin })).code).toBe(0);
        expect(beside(config)).not.toMatch(/json\.[0-9a-f-]{36}\.tmp/);
      }
      expect(at).toBeGreaterThan(5);
    },
  );
});

test('all who log in at once have logged in, though each sweeps beside the file', async ({
  petstore,
  folder,
}) => {
  const { args } = commands[0].run('new');
  const env = { PETSTORE_CONFIG_DIR: join(folder, 'config') };

  const results = await Promise.all(
    Array.from({ length: 12 }, (_, n) => petstore([...args], { env, stdin: `the-key-${n}` })),
  );

  expect(results.map(({ code, stderr }) => [code, stderr].filter((part) => part !== 0))).toEqual(
    results.map(() => [expect.stringContaining('for https://a.example alone')]),
  );
  expect(readdirSync(join(folder, 'config', 'keys'))).toEqual(['production.json']);
});

function beside(folder: string): string {
  return readdirSync(folder, { recursive: true }).join('\n');
}
