import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createNodeContext } from '../../src/node/node-context.ts';
import { bundle } from '../support/bundle.ts';
import { expect, test } from '../support/petstore.ts';
import { cleanEnvironment } from '../support/program.ts';

const kills = Number(process.env.PETSTORE_TEST_KILLS ?? 25);

test(`settings and keys outlive kill -9 at ${kills} random moments`, { timeout: 600_000 }, async ({
  folder,
  petstore,
}) => {
  const saver = await bundle('test/support/programs/saver.ts', folder);
  const { isRunning, owner } = createNodeContext(new AbortController().signal);
  const config = join(folder, 'config');
  mkdirSync(config);

  for (let kill = 1; kill <= kills; kill += 1) {
    const last = await saveUntilKilled(saver, config);

    const { profiles } = read(join(config, 'settings.json'));
    const { key } = read(join(config, 'keys', 'production.json'));
    expect([last, last - 1].map(String)).toContain(profiles.production['max-wait']);
    expect([last, last - 1].map((number) => `the-key-${number}`)).toContain(key);

    // The next login has to wait for nobody, and leaves no copy of a key.
    const context = { isRunning, owner };
    const next = await petstore(['auth', 'login'], { stdin: 'the-next-key', context });
    expect(next.exitCode).toBe(0);
    expect(readdirSync(join(config, 'keys'))).toEqual(['production.json']);
    const saved = await petstore(['config', 'set', 'output', 'json', '-p', 'staging'], { context });
    expect(saved.exitCode).toBe(0);
    expect(readdirSync(config).filter((name) => name.includes('settings'))).toEqual([
      'settings.json',
      'settings.json.lock',
    ]);
  }

  const logout = await petstore(['auth', 'logout'], { context: { isRunning, owner } });
  expect(logout.exitCode).toBe(0);
  expect(readdirSync(join(config, 'keys'))).toEqual([]);
});

/** The number that it was about to save when it was killed. */
async function saveUntilKilled(program: string, config: string): Promise<number> {
  const env = { ...cleanEnvironment(config), PETSTORE_CONFIG_DIR: config };
  const saver = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise((resolve) => saver.once('close', (_, signal) => resolve(signal)));
  let told = '';
  saver.stdout.on('data', (chunk) => {
    told += chunk;
  });
  // By its second one it has saved something.
  while (!told.includes('2\n') && saver.exitCode === null) {
    await Promise.race([closed, new Promise((resolve) => saver.stdout.once('data', resolve))]);
  }
  await pause(Math.random() * 20);
  saver.kill('SIGKILL');
  expect(await closed).toBe('SIGKILL');
  return Number(told.trim().split('\n').at(-1));
}

function read(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
