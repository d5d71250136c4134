import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { type Fixtures, launcher, test } from '../support/program.ts';
import { createRandom, seed } from '../support/random.ts';
import { type Category, plans } from '../support/values.ts';

const rows = Array.from({ length: 40 }, (_, n) => `pet ${n}`);
/** Half a minute of watching, a settle time of 10 s, and what a busy machine adds. */
const timeout = 150_000;

/** How the next run differs from the killed one. */
const kinds = {
  'another container': { host: 'b', isCopied: false },
  'the same container, started again': { host: 'a', isCopied: false },
  'a copy of the state folder on another machine': { host: 'b', isCopied: true },
} as const;

describe.concurrent(`an import that is killed with its container (seed ${seed})`, () => {
  test.for(Object.keys(kinds) as (keyof typeof kinds)[])(
    'goes on in %s',
    { timeout, tags: ['unshare'] },
    async (kind, { spawn, folder, serve }) => {
      const { host, isCopied } = kinds[kind];
      const random = createRandom(seed);
      const react = () => pause(50 + 200 * random()).then(() => 'respond' as const);
      const service = await serve({ plan: plans.business, react });
      const first = importIn({ spawn, folder }, service.env, 'a', join(folder, 'state'));
      await service.arrived(2);
      await pause(800 * random());
      first.child.kill('SIGKILL');
      await first.ended;
      const state = join(folder, isCopied ? 'copy' : 'state');
      if (isCopied)
        cpSync(join(folder, 'state'), state, { recursive: true, preserveTimestamps: true });

      const { code, stderr } = await importIn({ spawn, folder }, service.env, host, state).ended;

      expect([code, stderr]).toEqual([0, expect.anything()]);
      const names = service.state.categories.map((category) => (category as Category).name);
      expect(names.sort()).toEqual([...rows].sort());
    },
  );
});

test('whoever lives in another container of that host name is not taken for dead', {
  timeout,
  tags: ['unshare'],
}, async ({ spawn, folder, serve }) => {
  const react = ({ method }: { method: string }) =>
    method === 'POST' ? new Promise<never>(() => {}) : ('respond' as const);
  const service = await serve({ plan: plans.business, react });
  const state = join(folder, 'state');
  // Its process id is one that nobody has in the other container.
  importIn({ spawn, folder }, service.env, 'a', state, 'for n in $(seq 99); do env true; done;');
  await service.arrived(2);

  const argv = ['--max-wait', '0'];
  const second = importIn({ spawn, folder }, service.env, 'a', state, 'exec', argv);
  const { code, stderr } = await second.ended;

  expect([74, 75], stderr).toContain(code);
  expect(stderr).toContain('Nothing was sent');
});

function importIn(
  { spawn, folder }: Pick<Fixtures, 'spawn' | 'folder'>,
  env: Readonly<Record<string, string>>,
  host: string,
  state: string,
  start = 'exec',
  more: readonly string[] = [],
) {
  const file = join(folder, 'pets.csv');
  writeFileSync(file, `name\n${rows.join('\n')}\n`);
  const argv = ['categories', 'import', file, '--yes', '--max-wait', 'inf', '--settle', '10s'];
  const container = ['--uts', '--pid', '--fork', '--mount-proc', '--kill-child=KILL'];
  const script = `hostname ${host} && ${start} "$@"`;
  return spawn(
    'unshare',
    [...container, 'sh', '-c', script, 'sh', process.execPath, launcher, ...argv, ...more],
    { env: { ...env, PETSTORE_STATE_DIR: state } },
  );
}
