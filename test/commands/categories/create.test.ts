import { describe } from 'vitest';
import { expect, networkError, reply, silence, test, testKey } from '../../support/petstore.ts';
import { exact, interrupted, type WireAnswer, type WireRequest } from '../../support/values.ts';

const create = ['categories', 'create', 'rabbit'];

describe('categories create', () => {
  test('prints the created category and the remaining rate limit', async ({
    petstore,
    sandbox,
  }) => {
    const result = await petstore([...create, '--description', 'Quiet', '--json']);

    expect(JSON.parse(result.stdout)).toEqual({ id: 1, name: 'rabbit', description: 'Quiet' });
    expect(result.exitCode).toBe(0);
    expect(result.events()).toEqual([
      { event: 'rate_limit', limit: 60, remaining: 59, resetAt: '2026-11-20T15:05:00Z' },
    ]);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('sends just what the document asks for', async ({ petstore, sandbox }) => {
    await petstore(create);

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
      const result = await petstore(['categories', 'create', name]);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toBe(
        'petstore: invalid category: name must not be blank\nNothing was sent.\n',
      );
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('a text that looks like options stays a description', async ({ petstore, sandbox }) => {
    await petstore([...create, '--description', '-vintage and -q']);

    expect(sandbox.categories).toMatchObject([{ description: '-vintage and -q' }]);
  });

  test('--dry-run shows the request without the key and sends nothing', async ({
    petstore,
    sandbox,
  }) => {
    const { stdout, stderr } = await petstore([...create, '--dry-run', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: 'http://127.0.0.1:4010/v1/categories',
      headers: { authorization: 'Bearer [key]' },
      body: { name: 'rabbit' },
    });
    expect(stdout + stderr).not.toContain(testKey);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('--if-missing shows the one that is there and creates none', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push({ id: exact('7'), name: 'rabbit' });

    const result = await petstore([...create, '--if-missing', '--json']);

    expect(JSON.parse(result.stdout)).toEqual({ id: 7, name: 'rabbit' });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('--if-missing creates one where only another name is there', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push({ id: exact('7'), name: 'Rabbit' });

    await petstore([...create, '--if-missing']);

    expect(sandbox.categories.map(({ name }) => name)).toEqual(['Rabbit', 'rabbit']);
  });

  test('--if-missing names the copy when the service makes a name of it that is there', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.categories.push({ id: exact('7'), name: 'rabbit' });
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(201, { id: 8, name: 'rabbit' }) : undefined;

    const result = await petstore(['categories', 'create', ' rabbit', '--if-missing', '--json']);

    expect(result.exitCode).toBe(0);
    expect(result.events()).toContainEqual({
      event: 'notice',
      message: '"rabbit" already exists with id 7: this one is a duplicate',
    });
  });

  test('warns when the service changed the name', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(201, { id: 1, name: 'Rabbit' }));

    const result = await petstore(create);

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('petstore: the service changed the name to "Rabbit"\n');
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
    async ([, outcome, exitCode, reaction], { petstore, sandbox }) => {
      sandbox.reactions.push(reaction instanceof Response ? reaction.clone() : reaction);

      const result = await petstore([...create, '--json']);

      expect(result).toMatchObject({ exitCode, stdout: '' });
      expect(result.events().at(-1)).toMatchObject({ event: 'error', outcome, exitCode });
      expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  const cut =
    (code: string, created: boolean) =>
    async (request: WireRequest, forward: () => Promise<WireAnswer>): Promise<never> => {
      request.onSent();
      if (created) for await (const _ of (await forward()).body);
      throw networkError(code);
    };

  test.for(['ECONNRESET', 'EPIPE'])(
    'is unknown when %s comes after the first byte: the list is asked a minute later, and nothing is sent again',
    async (code, { petstore, sandbox, clock }) => {
      const start = clock.now();
      sandbox.reactions.push(cut(code, false));

      const result = await petstore(create);

      expect(result.exitCode).toBe(6);
      expect(result.stderr).toContain(
        [
          'petstore: 127.0.0.1:4010 closed the connection; after 60s the list shows no category with this name',
          'It was probably not created.',
          'To retry, run the same command again with --if-missing.',
          '',
        ].join('\n'),
      );
      expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
      expect(sandbox.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    },
  );

  test('stays unknown when one of its name is there, which anybody may have created', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(cut('ECONNRESET', true));

    const result = await petstore(create);

    expect(result).toMatchObject({ exitCode: 6, stdout: '' });
    expect(result.stderr).toContain(
      [
        'petstore: 127.0.0.1:4010 closed the connection; after 60s the list shows "rabbit" with id 1, created by this request or by another one',
        'It may have been created.',
        'Look at it before you retry: petstore categories get 1',
        '',
      ].join('\n'),
    );
    // That list was just looked at.
    expect(result.stderr).not.toContain('petstore categories list');
    expect(sandbox.categories).toHaveLength(1);
  });

  test('is created when --if-missing saw none before and the list shows one after', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.react = ({ method }) => (method === 'POST' ? cut('ECONNRESET', true) : undefined);

    const result = await petstore([...create, '--if-missing', '--json']);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({ id: 1, name: 'rabbit' });
    expect(result.events()).toContainEqual({
      event: 'notice',
      message: 'created with id 1, as the list shows',
    });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  });

  test('stays unknown when --if-missing saw none before and there are two after', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, []), async (request, forward) => {
      sandbox.categories.push({ id: exact('70'), name: 'rabbit' });
      return cut('ECONNRESET', true)(request, forward);
    });

    const result = await petstore([...create, '--if-missing']);

    expect(result.exitCode).toBe(6);
    expect(result.stderr).toContain(
      'after 60s the list shows "rabbit" with id 70, "rabbit" with id 1, created by this request or by another one\n',
    );
  });

  test('stays unknown when something similar is there, as a script can read', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, []), async (request) => {
      request.onSent();
      sandbox.categories.push({ id: exact('9'), name: 'Rabbit ' });
      throw networkError('ECONNRESET');
    });

    const result = await petstore([...create, '--if-missing', '--json']);

    expect(result).toMatchObject({ exitCode: 6, stdout: '' });
    expect(result.events().at(-1)).toMatchObject({
      message:
        '127.0.0.1:4010 closed the connection; after 60s the list shows "Rabbit " with id 9, created by this request or by another one',
    });
  });

  test('stays unknown when the service is not there any more', async ({ petstore, sandbox }) => {
    sandbox.react = () => networkError('ECONNREFUSED');
    sandbox.reactions.push(cut('ECONNRESET', true));

    const result = await petstore(create);

    expect(result.exitCode).toBe(6);
    expect(result.stderr).toContain(
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
    async ([, reaction, exitCode], { petstore, sandbox }) => {
      sandbox.reactions.push(reaction);

      const result = await petstore([...create, '--json']);

      expect(result.events()).toMatchObject([{ outcome: 'refused', exitCode }]);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('is created after a 429 that was cut short, once its wait is over', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const start = clock.now();
    sandbox.reactions.push(cutRefusal(429, 1));

    expect((await petstore(create)).exitCode).toBe(0);
    expect(clock.now() - start).toBeGreaterThanOrEqual(5_000);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('is refused when Ctrl-C ends the wait after a 429', async ({ petstore, sandbox, clock }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }));
    const sleep = async (ms: number, signal: AbortSignal) => {
      if (sandbox.requests.length > 0) ctrlC.abort(interrupted(130));
      return clock.sleep(ms, signal);
    };

    const result = await petstore([...create, '--json'], {
      signal: ctrlC.signal,
      context: { sleep },
    });

    expect(result.exitCode).toBe(130);
    expect(result.events().at(-1)).toMatchObject({ kind: 'interrupted', outcome: 'refused' });
  });

  test('is created after refused connections, which are safe to repeat', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(networkError('ECONNREFUSED'), networkError('ECONNREFUSED'));

    const result = await petstore(create);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(1);
    expect(sandbox.requests).toHaveLength(3);
  });

  test('is not sent when nobody ever answers the door', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(...Array.from({ length: 9 }, () => networkError('ECONNREFUSED')));

    const result = await petstore(create);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
    expect(result.stderr).toContain('127.0.0.1:4010 refused the connection\nNothing was sent.\n');
    expect(sandbox.requests).toHaveLength(4);
  });

  test('is created when the answer comes within the grace after Ctrl-C, exit 130', async ({
    petstore,
    sandbox,
  }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push(async (request) => {
      request.onSent();
      ctrlC.abort(interrupted(130));
      const body = Buffer.from('{"id":1,"name":"rabbit"}');
      return {
        status: 201,
        headers: {},
        body: (async function* () {
          yield body;
        })(),
      };
    });

    const result = await petstore(create, { signal: ctrlC.signal });

    expect(result.exitCode).toBe(130);
    expect(result.stdout).toContain('rabbit');
  });

  test('is unknown when Ctrl-C comes and the answer does not, five seconds later', async ({
    petstore,
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

    const result = await petstore([...create, '--json'], { signal: ctrlC.signal });

    expect(result.exitCode).toBe(130);
    expect(result.events()).toMatchObject([{ kind: 'interrupted', outcome: 'unknown' }]);
    expect(clock.now() - start).toBe(5_000);
  });

  test.for([
    ['before its result is printed', true],
    ['while its result is printed', false],
  ] as const)(
    'is created when Ctrl-C comes %s and nobody reads that, and the id is said',
    async ([, early], { petstore, sandbox }) => {
      const ctrlC = new AbortController();
      const interrupt = () => ctrlC.abort(interrupted(130));
      const unread = () => new Promise<void>(() => setImmediate(interrupt));
      const stdout = { isTTY: false, columns: undefined, stream: undefined, write: unread };
      sandbox.reactions.push((_request, forward) => {
        const answer = forward();
        if (early) interrupt();
        return answer;
      });

      const result = await petstore(create, { signal: ctrlC.signal, context: { stdout } });

      expect(result.exitCode).toBe(130);
      expect(result.stderr).toContain(
        'petstore: interrupted\nThe category was created with id 1.\n',
      );
    },
  );

  test('has a second for its result to be read after Ctrl-C', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const ctrlC = new AbortController();
    const write = () => clock.sleep(900, new AbortController().signal);
    const stdout = { isTTY: false, columns: undefined, stream: undefined, write };
    sandbox.reactions.push((_request, forward) => {
      const answer = forward();
      ctrlC.abort(interrupted(130));
      return answer;
    });

    const result = await petstore(create, { signal: ctrlC.signal, context: { stdout } });

    expect(result.exitCode).toBe(130);
    expect(result.stderr).not.toContain('interrupted');
  });

  test('ends when it is interrupted and nobody reads what it says', async ({ petstore }) => {
    const ctrlC = new AbortController();
    const write = () => new Promise<void>(() => setImmediate(() => ctrlC.abort(interrupted(143))));
    const stderr = { isTTY: false, columns: undefined, stream: undefined, write };

    const result = await petstore(create, { signal: ctrlC.signal, context: { stderr } });

    expect(result.exitCode).toBe(143);
  });

  test('is created even when the result cannot be printed, and the id is said', async ({
    petstore,
    sandbox,
  }) => {
    const full = { isTTY: false, columns: undefined, stream: undefined };
    const stdout = { ...full, write: () => Promise.reject(networkError('ENOSPC')) };

    const result = await petstore(create, { context: { stdout } });

    expect(result.exitCode).toBe(74);
    expect(result.stderr).toContain('The category was created with id 1.\n');
    expect(sandbox.categories).toHaveLength(1);
  });

  describe('when the reader of its result went away', () => {
    const gone = { isTTY: false, columns: undefined, stream: undefined };
    const stdout = { ...gone, write: () => Promise.reject(networkError('EPIPE')) };
    const options = { context: { stdout } };

    test('exits 141 and says that it was created', async ({ petstore }) => {
      const text = await petstore([...create, '--quiet'], options);
      const json = await petstore([...create, '--json'], options);

      expect(text).toMatchObject({
        exitCode: 141,
        stderr: 'petstore: created "rabbit" with id 1; the result could not be printed\n',
      });
      expect(json.exitCode).toBe(141);
      expect(json.events().find(({ event }) => event === 'error')).toMatchObject({
        message: 'created "rabbit" with id 2; the result could not be printed',
        outcome: 'created',
        exitCode: 141,
      });
    });

    test('is quiet where nothing was created', async ({ petstore }) => {
      await petstore(create);

      const result = await petstore([...create, '--if-missing', '--quiet'], options);

      expect(result).toMatchObject({ exitCode: 141, stderr: '' });
    });
  });
});
