import { describe } from 'vitest';
import { shownUrl, storePassword, storeUrl, test } from '../support/machines.ts';
import type { EngineFault } from '../support/memory-engine.ts';
import { expect, noEnv, reply } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { list } from '../support/told.ts';

const address = `"address":"${shownUrl}"`;

stories(
  'limits',
  `
  say through which store they are shared, and --reset clears it for all
    one: list! < 429 900 => 75
    two: limits => json {"wait":{"reason":"429"},"store":{${address}}}
    two: limits --reset
    one: list!

  of a store that does not answer say so
    store silent
    one: limits => 75; says ${shownUrl}: Command timed out
`,
);

test.for<[what: string, fault: EngineFault | undefined, status: string, exitCode: number]>([
  ['answers', undefined, 'ok', 0],
  ['is silent', 'silent', 'fail', 75],
  ['refuses the password', 'password', 'fail', 2],
])(
  'doctor checks a store that %s',
  async ([, fault, status, exitCode], { machines: { run, engine } }) => {
    engine.fault = fault;

    const result = await run('one', ['doctor', '--json']);

    expect(result.exitCode).toBe(exitCode);
    const finding = expect.stringContaining(shownUrl);
    const check = { check: 'shared store', status, finding };
    expect(result.json).toContainEqual(expect.objectContaining(check));
  },
);

test('doctor checks the store before there are an address and a key', async ({ machines }) => {
  const { stdout } = await machines.run('one', ['doctor'], { env: noEnv });

  expect(stdout).toContain(`ok    shared store: ${shownUrl} answers\n`);
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

  test('comes from the settings where no variable gives it, and is shown without its password', async ({
    machines: { run, addresses },
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, [{ id: 1, name: storePassword }]));
    const options = { env: { PETSTORE_SHARED_STORE: '' } };
    await run('one', ['config', 'set', 'shared-store', storeUrl], options);

    const told = await run('one', ['categories', 'list', '-v'], options);
    await run('one', list, { env: { PETSTORE_SHARED_STORE: 'redis://other' } });
    const get = await run('one', ['config', 'get', 'shared-store'], options);
    const all = await run('one', ['config', 'list', '--json'], options);

    expect(addresses).toMatchObject([{ hostname: 'limits.example' }, { hostname: 'other' }]);
    expect(get.stdout).toBe(`${shownUrl}\n`);
    expect(all.stdout).toContain(shownUrl);
    expect(told.stderr).toContain(`the rate limit is shared through ${shownUrl}`);
  });

  test('is left out for a run by the variable none', async ({ machines: { run, addresses } }) => {
    const option = { env: { PETSTORE_SHARED_STORE: '' } };
    await run('one', ['config', 'set', 'shared-store', storeUrl], option);
    const env = { PETSTORE_SHARED_STORE: 'none' };

    const { exitCode } = await run('one', list, { env });
    const all = await run('one', ['config', 'get', 'shared-store'], { env });

    expect([exitCode, addresses, all.stdout]).toEqual([0, [], 'none\n']);
  });

  test('means nothing to the sandbox profile', async ({ machines: { run, addresses } }) => {
    const env = { PETSTORE_BASE_URL: undefined, PETSTORE_API_KEY: undefined };

    const { exitCode } = await run('one', ['limits', '--profile', 'sandbox'], { env });

    expect(exitCode).toBe(0);
    expect(addresses).toEqual([]);
  });
});
