import { describe } from 'vitest';
import { shownUrl, storeUrl, test } from '../support/machines.ts';
import type { EngineFault } from '../support/memory-engine.ts';
import { expect, reply } from '../support/petstore.ts';
import { list, listNow, refusal } from '../support/told.ts';

describe('limits', () => {
  test('say through which store they are shared, and --reset clears it for all', async ({
    machines: { run },
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(900));
    await run('one', listNow);

    const told = await run('two', ['limits', '--json']);
    await run('two', ['limits', '--reset']);
    const after = await run('one', list);

    expect(JSON.parse(told.stdout)).toMatchObject({
      wait: { reason: '429' },
      store: { address: shownUrl, answers: true },
    });
    expect(after.exitCode).toBe(0);
  });

  test('of a store that does not answer say so', async ({ machines: { run, engine } }) => {
    engine.fault = 'silent';

    const { stdout, stderr, exitCode } = await run('one', ['limits', '--json']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).store).toEqual({ address: shownUrl, answers: false });
    expect(stderr).toContain('timed out');
  });

  test('that are reset while the store is gone are reset there when it is back', async ({
    machines: { run, engine },
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(900));
    await run('one', listNow);
    engine.fault = 'refuses';

    const reset = await run('one', ['limits', '--reset']);
    const alone = await run('one', listNow);
    engine.fault = undefined;
    const back = await run('one', listNow);

    expect(reset.stderr).toContain(`${shownUrl} is not responding, and will be reset when`);
    expect([alone.exitCode, back.exitCode]).toEqual([0, 0]);
  });
});

describe('doctor', () => {
  const finding = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout).find(({ check }: { check: string }) => check === 'shared store');

  test.for<[what: string, fault: EngineFault | undefined, status: string, exitCode: number]>([
    ['answers', undefined, 'ok', 0],
    ['is silent', 'silent', 'fail', 5],
    ['refuses the password', 'password', 'fail', 5],
  ])('checks a store that %s', async (row, { machines: { run, engine } }) => {
    const [, fault, status, exitCode] = row;
    engine.fault = fault;

    const result = await run('one', ['doctor', '--json']);

    expect(result.exitCode).toBe(exitCode);
    expect(finding(result)).toMatchObject({ status, finding: expect.stringContaining(shownUrl) });
    expect(result.stdout + result.stderr).not.toContain('p4ss');
  });
});

describe('the address of the store', () => {
  test.for([
    { url: 'redis://h', is: { hostname: 'h', port: 6379, tls: false, database: 0 } },
    { url: 'rediss://h:7000/3', is: { hostname: 'h', port: 7000, tls: true, database: 3 } },
    { url: 'redis://[::1]:7000/', is: { hostname: '::1', port: 7000 } },
    { url: 'redis://u%40x:p%3A%2Fw@h', is: { user: 'u@x', password: 'p:/w' } },
    { url: 'redis://u:p ss@w@h', is: { user: 'u', password: 'p ss@w' } },
    { url: 'redis://:pass@h', is: { user: undefined, password: 'pass' } },
  ])('$url is understood', async ({ url, is }, { machines: { run, addresses } }) => {
    const { exitCode } = await run('one', list, { env: { PETSTORE_SHARED_STORE: url } });

    expect(exitCode).toBe(0);
    expect(addresses).toMatchObject([is]);
  });

  test.for([
    'limits.example',
    'redis://',
    'redis://u:s3cret-p4ss@h/x',
    'redis://u:s3cret/p4ss@h',
    'redis://u:s3cret-p4ss@h:0',
    'redis://u:s3cret%-p4ss@h',
    'redis://u:s3cret-p4ss@h?x=1',
    'redis+sentinel://u:s3cret-p4ss@h',
  ])('%s is refused, and not said again', async (url, { machines: { run }, sandbox }) => {
    const env = { PETSTORE_SHARED_STORE: url };

    const byVariable = await run('one', list, { env });
    const bySetting = await run('one', ['config', 'set', 'shared-store', url, '--json']);
    const got = await run('one', ['config', 'get', 'shared-store'], { env });

    for (const { exitCode, stderr, stdout } of [byVariable, bySetting]) {
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain('invalid shared store URL');
    }
    expect(byVariable.events().at(-1)?.message).toContain('PETSTORE_SHARED_STORE');
    for (const { stderr, stdout } of [byVariable, bySetting, got]) {
      expect(stdout + stderr).not.toMatch(/s3cret|p4ss/);
    }
    expect(sandbox.requests).toHaveLength(0);
  });

  test('comes from the settings where no variable gives it, and is shown without its password', async ({
    machines: { run, addresses },
  }) => {
    const none = { PETSTORE_SHARED_STORE: '' };
    const saved = await run('one', ['config', 'set', 'shared-store', storeUrl], { env: none });

    await run('one', list, { env: none });
    await run('one', list, { env: { PETSTORE_SHARED_STORE: 'redis://other' } });
    const get = await run('one', ['config', 'get', 'shared-store'], { env: none });
    const all = await run('one', ['config', 'list', '--json'], { env: none });
    const told = await run('one', [...list, '-v'], { env: none });

    expect(addresses.map(({ hostname }) => hostname).slice(0, 2)).toEqual([
      'limits.example',
      'other',
    ]);
    expect(get.stdout).toBe(`${shownUrl}\n`);
    expect(all.stdout).toContain(shownUrl);
    expect(told.stderr).toContain(`the rate limit is shared through ${shownUrl}`);
    for (const { stdout, stderr } of [saved, get, all, told]) {
      expect(stdout + stderr).not.toMatch(/p4ss|ci:/);
    }
  });

  test('has a password that stands nowhere, whoever repeats it', async ({
    machines: { run },
    sandbox,
  }) => {
    const password = 'p4ss-w0rd-of-the-store';
    sandbox.react = () => reply(200, [{ id: 1, name: password }]);

    for (const more of [[], ['-v'], ['--json']]) {
      const { exitCode, stdout, stderr } = await run('one', ['categories', 'list', ...more]);
      expect(exitCode).toBe(0);
      expect(stdout + stderr).not.toContain(password);
    }
  });

  test('means nothing to the sandbox profile', async ({ machines: { run, addresses } }) => {
    const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };

    const { exitCode } = await run('one', ['limits', '--profile', 'sandbox'], { env });

    expect(exitCode).toBe(0);
    expect(addresses).toEqual([]);
  });
});
