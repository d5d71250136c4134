import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { methods } from '../support/import-cases.ts';
import { test as base, expect, type Fixtures, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { exact, type Send } from '../support/values.ts';

/** Runs the program on the settings and the state that 0.1.0 left behind, two of its imports killed a moment ago. */
const test = base.extend<{ upgraded: Fixtures['petstore'] }>({
  upgraded: ({ folder, petstore }, use) => {
    cpSync('test/support/old-state', folder, { recursive: true });
    // A checkout does not keep the modes that keys must have.
    if (isPosix) execFileSync('chmod', ['-R', 'go=', folder]);
    return use((argv, { context, ...options } = {}) =>
      petstore(argv, {
        env: { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined },
        // The processes that left it have all ended.
        context: { isRunning: ({ pid }) => pid === 4242, ...context },
        ...options,
      }),
    );
  },
});

describe('after an upgrade', () => {
  test.for([
    ['production', '4010', expect.stringContaining('│ 1  │ frog │')],
    ['staging', '4011', '- id: 1\n  name: frog\n'],
  ] as const)(
    'settings and key of %s are read',
    async ([profile, port, stdout], { upgraded, sandbox }) => {
      add(sandbox, 'frog');
      const result = await upgraded(list('--profile', profile, '--max-wait', 'inf'));

      expect(result).toMatchObject({ exitCode: 0, stdout });
      expect(sandbox.requests.map(({ url }) => url.port)).toEqual([port]);
      expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${testKey}`);
    },
  );

  test('what was created in the sandbox profile is there', async ({ upgraded, clock }) => {
    clock.hold();
    const argv = list('--profile', 'sandbox', '--query', '[].name', '--json');
    const { stdout } = await upgraded(argv, { context: { send: overNetwork } });

    expect(JSON.parse(stdout)).toEqual(['dog', 'cat', 'rabbit', 'hamster']);
  });

  test('the logs of the limit go with the first request', async ({ upgraded, folder }) => {
    const limits = join(folder, 'state', 'limits');
    const before = readdirSync(limits);

    await upgraded(list('--profile', 'staging', '--max-wait', 'inf'));

    expect(before).not.toEqual([]);
    expect(readdirSync(limits).filter((name) => before.includes(name))).toEqual([]);
  });

  test.for([[true], [false]])(
    'an unfinished import waits, and creates each name once; was it killed: %s',
    async ([wasKilled], { upgraded, sandbox, folder, clock }) => {
      if (!wasKilled) rmSync(join(folder, 'state', 'names'), { recursive: true });
      add(sandbox, 'frog', 'otter');
      // The create of the heron was in flight when the import ended, a moment ago.
      void clock.sleep(20_000, new AbortController().signal).then(() => add(sandbox, 'heron'));
      const argv = ['categories', 'import', join(folder, 'pets.csv'), '--yes', '--json'];

      for (const waits of [true, false]) {
        const { exitCode, stderr } = await upgraded(argv);
        expect(exitCode).toBe(0);
        expect(stderr.includes('"reason":"settle"')).toBe(waits);
      }
      expect(methods(sandbox)).toBe('GET POST GET GET');
      const names = sandbox.categories.map(({ name }) => name);
      expect(names).toEqual(['frog', 'otter', 'heron', 'mole']);
    },
  );

  const begun = '{"v":2,"sha256":"2f8de821","mode":"each","rows":3,"at":0,"before":[]}\n';
  const rows = '{"state":"sending"}\n{"row":0,"id":"2"}\n{"state":"idle"}\n';
  test.for([
    ['killed, by 0.1.0', undefined, 2],
    ['begun', begun, 2],
    ['stopped', `${begun}${rows}`, 2],
    ['killed', `${begun}${rows}{"sta`, 2],
    ['finished', `${begun}${rows}{"state":"done"}\n`, 0],
  ] as const)(
    'an import is refused unless the same one with --allow-duplicates was finished: it was %s',
    async ([, text, exitCode], { upgraded, sandbox, folder }) => {
      const journal = join(folder, 'state', 'imports', '2f16cfdb15200690.journal');
      if (text) writeFileSync(journal, text);
      const before = readFileSync(journal, 'utf8');

      for (const flag of ['--dry-run', '--yes']) {
        const argv = ['categories', 'import', join(folder, 'more.csv'), flag];
        const { stderr, ...result } = await upgraded(argv);

        expect(result.exitCode).toBe(exitCode);
        expect(stderr.includes('\nNothing was sent.\n')).toBe(exitCode === 2);
        expect(stderr.includes(`: rm '${journal}'\n`)).toBe(exitCode === 2);
      }
      expect(sandbox.requests.length > 0).toBe(exitCode === 0);
      expect(readFileSync(journal, 'utf8')).toBe(before);
    },
  );
});

function list(...options: readonly string[]): readonly string[] {
  return ['categories', 'list', ...options];
}

/** Adds categories of these names to the service. */
function add(sandbox: Fixtures['sandbox'], ...names: readonly string[]): void {
  for (const name of names) {
    sandbox.lastId += 1n;
    sandbox.categories.push({ id: exact(String(sandbox.lastId)), name });
  }
}

/** Sends a request to the sandbox that the program itself serves. */
const overNetwork: Send = async ({ onSent, method, url, headers, body = null }) => {
  onSent();
  const response = await fetch(url, { method, headers, body });
  const bytes = (response.body ?? []) as AsyncIterable<Uint8Array>;
  return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
};
