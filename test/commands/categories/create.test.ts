import { describe } from 'vitest';
import { category } from '../../support/categories.ts';
import { cutAfter, cutBefore, methods, type Run } from '../../support/import-cases.ts';
import {
  test as base,
  expect,
  networkError,
  type RunOptions,
  reply,
  silence,
  testKey,
} from '../../support/petstore.ts';
import { interrupted } from '../../support/values.ts';

const test = base.extend<{ create: (flags?: readonly string[], options?: RunOptions) => Run }>({
  /** Creates rabbit. */
  create: ({ petstore }, use) =>
    use((flags = [], options) => petstore(['categories', 'create', 'rabbit', ...flags], options)),
});

const ifMissing = ['--if-missing', '--json'];

describe('categories create', () => {
  test('prints the created category and the remaining rate limit', async ({ create, sandbox }) => {
    const { exitCode, stdout, events } = await create(['--description', 'Quiet', '--json']);

    expect(JSON.parse(stdout)).toEqual({ id: 1, name: 'rabbit', description: 'Quiet' });
    expect(exitCode).toBe(0);
    expect(events()).toEqual([
      { event: 'rate_limit', limit: 60, remaining: 59, resetAt: '2026-11-20T15:05:00Z' },
    ]);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('sends just what the document asks for', async ({ create, sandbox }) => {
    await create();

    expect(sandbox.requests).toMatchObject([
      {
        method: 'POST',
        url: new URL('http://127.0.0.1:4010/v1/categories'),
        body: '{"name":"rabbit"}',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      },
    ]);
  });

  test.for(['', '   ', '\t\n'])(
    'refuses the blank name "%s" and sends nothing',
    async (name, { petstore, sandbox }) => {
      const { exitCode, stdout, stderr } = await petstore(['categories', 'create', name]);

      expect([exitCode, stdout, sandbox.requests.length]).toEqual([2, '', 0]);
      expect(stderr).toBe(
        'petstore: invalid category: name must not be blank\nNothing was sent.\n',
      );
    },
  );

  test('keeps a text that looks like options as a description', async ({ create, sandbox }) => {
    await create(['--description', '-vintage and -q']);

    expect(sandbox.categories).toMatchObject([{ description: '-vintage and -q' }]);
  });

  test('shows the request without the key with --dry-run', async ({ create, sandbox }) => {
    const { stdout, stderr } = await create(['--dry-run', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: 'http://127.0.0.1:4010/v1/categories',
      headers: { authorization: 'Bearer [key]' },
      body: { name: 'rabbit' },
    });
    expect(stdout + stderr).not.toContain(testKey);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('shows the one that is there with --if-missing', async ({ create, sandbox }) => {
    sandbox.categories.push(category('7', 'rabbit'));

    const { stdout } = await create(ifMissing);

    expect(JSON.parse(stdout)).toEqual({ id: 7, name: 'rabbit' });
    expect(methods(sandbox)).toBe('GET');
  });

  test('creates one with --if-missing if only another name exists', async ({ create, sandbox }) => {
    sandbox.categories.push(category('7', 'Rabbit'));

    await create(ifMissing);

    expect(sandbox.categories.map(({ name }) => name)).toEqual(['Rabbit', 'rabbit']);
  });

  test('names the copy if the service makes a name of it that is there', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push(category('7', 'rabbit'));
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(201, { id: 8, name: 'rabbit' }) : undefined;

    const { exitCode, events } = await petstore(['categories', 'create', ' rabbit', ...ifMissing]);

    expect(exitCode).toBe(0);
    const message = '"rabbit" already exists with id 7: this one is a duplicate';
    expect(events()).toContainEqual({ event: 'notice', message });
  });

  test('warns when the service changed the name', async ({ create, sandbox }) => {
    sandbox.reactions.push(reply(201, { id: 1, name: 'Rabbit' }));

    const { exitCode, stderr } = await create();

    expect(exitCode).toBe(0);
    expect(stderr).toContain('petstore: the service changed the name to "Rabbit"\n');
  });
});

/** What became of the category is said whatever happens, and it is sent again only where that is safe. */
describe('the outcome of a create', () => {
  const cutInBody = async () => ({
    status: 201,
    headers: { 'content-type': 'application/json' },
    // biome-ignore lint/correctness/useYield: the connection breaks before any byte
    body: (async function* () {
      throw networkError('ECONNRESET');
    })(),
  });

  const error = (status: number) => reply(status, { code: 'x', message: 'no', status });
  const redirect = (status: number) => reply(status, '', { location: 'https://other.example/' });
  const html = { 'content-type': 'text/html' };
  test.for([
    ['a 400', 'refused', 3, error(400)],
    ['a 409', 'refused', 3, error(409)],
    ['a 422', 'refused', 3, reply(422, '')],
    ['a 404 page', 'refused', 3, reply(404, '<html>', html)],
    ['a 401', 'refused', 4, error(401)],
    ['a 403', 'refused', 4, reply(403, '')],
    // They ask for the request elsewhere.
    ...[301, 307, 308].map((status) => [`a ${status}`, 'refused', 5, redirect(status)] as const),
    // They often follow a success.
    ...[302, 303].map((status) => [`a ${status}`, 'unknown', 6, redirect(status)] as const),
    ['a 500', 'unknown', 6, reply(500, '')],
    ['a 503 with an Error', 'unknown', 6, error(503)],
    ['a 408', 'unknown', 6, reply(408, '')],
    ['a 200', 'unknown', 6, reply(200, { id: 1, name: 'rabbit' })],
    ['a 201 without an id', 'unknown', 6, reply(201, { name: 'rabbit' })],
    ['a 201 of half an object', 'unknown', 6, reply(201, '{"id":1,"na')],
    ['a 201 of HTML', 'unknown', 6, reply(201, '<p>', html)],
    ['an empty 201', 'unknown', 6, reply(201, '')],
    ['a 201 with an id twice', 'unknown', 6, reply(201, '{"id":1,"id":2,"name":"rabbit"}')],
    ['a 201 that is cut off in its body', 'unknown', 6, cutInBody],
    ['no answer', 'unknown', 6, 'stall'],
    ['a name nobody knows', 'not_sent', 5, networkError('ENOTFOUND')],
    ['a bad certificate', 'not_sent', 5, networkError('CERT_HAS_EXPIRED')],
  ] as const)(
    'after %s is %s, exit %i',
    async ([, outcome, exitCode, reaction], { create, sandbox }) => {
      sandbox.reactions.push(reaction instanceof Response ? reaction.clone() : reaction);

      const result = await create(['--json']);

      expect(result).toMatchObject({ exitCode, stdout: '' });
      expect(result.events().at(-1)).toMatchObject({ event: 'error', outcome, exitCode });
      expect(methods(sandbox).match(/POST/g)).toHaveLength(1);
    },
  );

  test.for([
    ['nothing', cutBefore, 'no category with this name'],
    ['it', cutAfter, '"rabbit" with id 1, created by this request or by another one'],
  ] as const)(
    'is unknown after a broken connection: a minute later the list shows %s',
    async ([, reaction, shown], { create, sandbox, clock }) => {
      const start = clock.now();
      sandbox.reactions.push(reaction);

      const { exitCode, stdout, stderr } = await create();

      expect([exitCode, stdout]).toEqual([6, '']);
      const isThere = reaction === cutAfter;
      const advice = isThere
        ? ['It may have been created.', 'Check it before you retry: petstore categories get 1']
        : [
            'It was probably not created.',
            'To retry, run the same command again with --if-missing.',
          ];
      const message = `petstore: 127.0.0.1:4010 closed the connection; after 60s the list shows ${shown}`;
      expect(stderr).toContain([message, ...advice, ''].join('\n'));
      expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
      expect(methods(sandbox)).toBe('POST GET');
    },
  );

  test('is created if --if-missing saw none before and the list shows one after', async ({
    create,
    sandbox,
  }) => {
    sandbox.react = ({ method }) => (method === 'POST' ? cutAfter : undefined);

    const { exitCode, stdout, events } = await create(ifMissing);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ id: 1, name: 'rabbit' });
    const message = 'created with id 1, as the list shows';
    expect(events()).toContainEqual({ event: 'notice', message });
    expect(methods(sandbox)).toBe('GET POST GET');
  });

  test.for([
    ['two of its name', 'rabbit', cutAfter, '"rabbit" with id 70, "rabbit" with id 1'],
    ['something similar', 'Rabbit ', cutBefore, '"Rabbit " with id 70'],
  ] as const)(
    'stays unknown if --if-missing saw none before and there is %s after',
    async ([, name, reaction, shown], { create, sandbox }) => {
      sandbox.reactions.push(reply(200, []), (request, forward) => {
        sandbox.categories.push(category('70', name));
        return reaction(request, forward);
      });

      const { exitCode, stdout, events } = await create(ifMissing);

      expect([exitCode, stdout]).toEqual([6, '']);
      expect(events().at(-1)?.message).toBe(
        `127.0.0.1:4010 closed the connection; after 60s the list shows ${shown}, created by this request or by another one`,
      );
    },
  );

  test('stays unknown if the service is not there any more', async ({ create, sandbox }) => {
    sandbox.react = () => networkError('ECONNREFUSED');
    sandbox.reactions.push(cutAfter);

    const { exitCode, stderr } = await create();

    expect(exitCode).toBe(6);
    expect(stderr).toContain(
      'petstore: 127.0.0.1:4010 closed the connection\nIt may have been created.\nCheck before you retry: petstore categories list\n',
    );
  });

  const cutRefusal = (status: number, bytes: number) => async () => ({
    status,
    headers: { 'retry-after': '5' },
    body: (async function* () {
      yield Buffer.alloc(bytes, 0x20);
      throw networkError('ECONNRESET');
    })(),
  });
  test.for([
    ['a 400 that is cut short', cutRefusal(400, 1), 3],
    ['a 401 of two megabytes', cutRefusal(401, 2_000_000), 4],
  ] as const)(
    'is refused by the status of %s',
    async ([, reaction, exitCode], { create, sandbox }) => {
      sandbox.reactions.push(reaction);

      const { events } = await create(['--json']);

      expect(events()).toMatchObject([{ outcome: 'refused', exitCode }]);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test.for([
    ['a 429 that was cut short, once its wait is over', [cutRefusal(429, 1)], 5_000],
    ['refused connections', [networkError('ECONNREFUSED'), networkError('ECONNREFUSED')], 0],
  ] as const)('is created after %s', async ([, reactions, waitMs], { create, sandbox, clock }) => {
    const start = clock.now();
    sandbox.reactions.push(...reactions);

    expect((await create()).exitCode).toBe(0);
    expect(clock.now() - start).toBeGreaterThanOrEqual(waitMs);
    expect(sandbox.requests).toHaveLength(reactions.length + 1);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('is not sent if all connections are refused', async ({ create, sandbox }) => {
    sandbox.react = () => networkError('ECONNREFUSED');

    const { exitCode, stdout, stderr } = await create();

    expect([exitCode, stdout]).toEqual([5, '']);
    expect(stderr).toContain('127.0.0.1:4010 refused the connection\nNothing was sent.\n');
    expect(sandbox.requests).toHaveLength(4);
  });

  test('is refused if Ctrl-C ends the wait after a 429', async ({ create, sandbox, clock }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }));
    const sleep = async (ms: number, signal: AbortSignal) => {
      if (sandbox.requests.length > 0) ctrlC.abort(interrupted(130));
      return clock.sleep(ms, signal);
    };

    const result = await create(['--json'], { signal: ctrlC.signal, context: { sleep } });

    expect(result.exitCode).toBe(130);
    expect(result.events().at(-1)).toMatchObject({ kind: 'interrupted', outcome: 'refused' });
  });

  test('is unknown when Ctrl-C comes and the answer does not, five seconds later', async ({
    create,
    sandbox,
    clock,
  }) => {
    const ctrlC = new AbortController();
    const start = clock.now();
    sandbox.reactions.push((request) => {
      request.onSent();
      ctrlC.abort(interrupted(130));
      return silence;
    });

    const { exitCode, events } = await create(['--json'], { signal: ctrlC.signal });

    expect(exitCode).toBe(130);
    expect(events()).toMatchObject([{ kind: 'interrupted', outcome: 'unknown' }]);
    expect(clock.now() - start).toBe(5_000);
  });

  const noTerminal = { isTTY: false, columns: undefined, stream: undefined };
  test.for([
    ['is printed within a second', 900, ''],
    [
      'is not read in time, and its id is said',
      1e9,
      'interrupted\nThe category was created with id 1.\n',
    ],
  ] as const)(
    'is created when Ctrl-C comes before the response: its result %s',
    async ([, readMs, says], { create, sandbox, clock }) => {
      const ctrlC = new AbortController();
      const write = () => clock.sleep(readMs, new AbortController().signal);
      sandbox.reactions.push((_request, forward) => {
        const answer = forward();
        ctrlC.abort(interrupted(130));
        return answer;
      });

      const { exitCode, stderr } = await create([], {
        signal: ctrlC.signal,
        context: { stdout: { ...noTerminal, write } },
      });

      expect(exitCode).toBe(130);
      expect(stderr).toContain(says);
      if (says === '') expect(stderr).not.toContain('interrupted');
    },
  );

  test('is created when Ctrl-C comes while nobody reads its result', async ({ create }) => {
    const ctrlC = new AbortController();
    const interrupt = () => ctrlC.abort(interrupted(130));
    const write = () => new Promise<void>(() => setImmediate(interrupt));
    const stdout = { ...noTerminal, write };

    const { exitCode, stderr } = await create([], { signal: ctrlC.signal, context: { stdout } });

    expect(exitCode).toBe(130);
    expect(stderr).toContain('petstore: interrupted\nThe category was created with id 1.\n');
  });

  test('ends when it is interrupted and nobody reads what it says', async ({ create }) => {
    const ctrlC = new AbortController();
    const write = () => new Promise<void>(() => setImmediate(() => ctrlC.abort(interrupted(143))));
    const stderr = { ...noTerminal, write };

    const { exitCode } = await create([], { signal: ctrlC.signal, context: { stderr } });

    expect(exitCode).toBe(143);
  });

  const writing = (code: string) => {
    const write = () => Promise.reject(networkError(code));
    return { context: { stdout: { ...noTerminal, write } } };
  };

  test('is created even if the result cannot be printed, and the id is said', async ({
    create,
    sandbox,
  }) => {
    const { exitCode, stderr } = await create([], writing('ENOSPC'));

    expect([exitCode, sandbox.categories.length]).toEqual([74, 1]);
    expect(stderr).toContain('The category was created with id 1.\n');
  });

  test('is said with exit code 141 if the reader of the result is gone', async ({ create }) => {
    const text = await create(['--quiet'], writing('EPIPE'));
    const json = await create(['--json'], writing('EPIPE'));
    const existing = await create(['--if-missing', '--quiet'], writing('EPIPE'));

    const message = 'created "rabbit" with id 1; the result could not be printed';
    expect(text).toMatchObject({ exitCode: 141, stderr: `petstore: ${message}\n` });
    expect(json.exitCode).toBe(141);
    expect(json.events().find(({ event }) => event === 'error')).toMatchObject({
      message: message.replace('id 1', 'id 2'),
      outcome: 'created',
      exitCode: 141,
    });
    expect(existing).toMatchObject({ exitCode: 141, stderr: '' });
  });
});
