import { describe } from 'vitest';
import { category } from '../../support/categories.ts';
import { cutAfter, cutBefore, methods, type Run } from '../../support/import-cases.ts';
import {
  test as base,
  expect,
  networkError,
  outputTo,
  type RunOptions,
  reply,
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
    const { exitCode, stdout, events } = await create(['-d', 'Quiet', '--json']);

    expect(JSON.parse(stdout)).toEqual({ id: 1, name: 'rabbit', description: 'Quiet' });
    expect(exitCode).toBe(0);
    expect(events()).toEqual([
      { event: 'rate_limit', limit: 60, remaining: 59, resetAt: '2026-11-20T15:05:00Z' },
    ]);
    expect(sandbox.requests).toMatchObject([
      {
        method: 'POST',
        url: new URL('http://127.0.0.1:4010/v1/categories'),
        body: '{"name":"rabbit","description":"Quiet"}',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      },
    ]);
  });

  test('shows the one that is there with --if-missing', async ({ create, sandbox }) => {
    sandbox.categories.push(category('7', 'rabbit'));

    const { stdout } = await create(ifMissing);

    expect(JSON.parse(stdout)).toEqual({ id: 7, name: 'rabbit' });
    expect(methods(sandbox)).toBe('GET');
  });

  test('warns of a look-alike with --if-missing, and creates', async ({ create, sandbox }) => {
    sandbox.categories.push(category('7', 'cat'), category('8', ' Rabb\u00adIT'));

    const { exitCode, stdout, stderr } = await create(['--if-missing', '-o', 'ndjson']);
    const again = await create(ifMissing);

    expect([exitCode, stdout]).toEqual([0, '{"id":1,"name":"rabbit"}\n']);
    expect(stderr).toContain('rabbit\\" is similar to \\" Rabb\\u00adIT\\" (id 8), which exists');
    expect(again.stderr).not.toContain('similar');
  });

  test('takes a description of null for none', async ({ create, sandbox }) => {
    sandbox.reactions.push(reply(201, { id: 1, name: 'rabbit', description: null }));

    const { exitCode, stdout } = await create(['-o', 'csv']);

    expect([exitCode, stdout]).toEqual([0, 'id,name,description\n1,rabbit,\n']);
  });

  test.for([
    ['', 'must not be blank'],
    ['\u200b', 'shows nothing (U+200B)'],
    ['\u2800\u3164', 'shows nothing (U+2800, U+3164)'],
    ['\u202a \u00ad', 'shows nothing (U+202A, U+0020, U+00AD)'],
    ['dog\u0007', 'contains the control character U+0007'],
    ['a\tb', 'contains the control character U+0009'],
    ['a\u0085b', 'contains the control character U+0085'],
  ] as const)('refuses the name %j: it %s', async ([name, fault], { petstore, sandbox }) => {
    const { exitCode, stderr } = await petstore(['categories', 'create', name]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`invalid category: name ${fault}\nNothing was sent.\n`);
    expect(sandbox.requests).toEqual([]);
  });

  test.for<[what: string, there: string[], shown: object, says: string]>([
    ['would create', [], { method: 'POST', body: { name: 'rabbit' } }, 'this would create it'],
    ['would not', ['rabbit'], { id: 7, name: 'rabbit' }, '"rabbit" already exists'],
  ])('with --if-missing --dry-run looks, and says that it %s', async (row, { create, sandbox }) => {
    const [, there, shown, says] = row;
    sandbox.categories.push(...there.map((name) => category('7', name)));

    const { exitCode, stdout, stderr } = await create([...ifMissing, '--dry-run']);

    expect([exitCode, methods(sandbox)]).toEqual([0, 'GET']);
    expect(JSON.parse(stdout)).toMatchObject(shown);
    expect(stderr.replaceAll('\\', '')).toContain(says);
  });

  test('does not take a 201 with the id of an older one for a new one', async ({
    create,
    sandbox,
  }) => {
    sandbox.categories.push(category('7', 'RABBIT'), category('8', 'dog'));
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(201, { id: 7, name: 'RABBIT' }) : undefined;
    const older = await create(ifMissing);
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(201, { id: 8, name: 'dog' }) : undefined;
    const another = await create(ifMissing);

    expect([older.exitCode, JSON.parse(older.stdout)]).toEqual([0, { id: 7, name: 'RABBIT' }]);
    expect(older.stderr).toContain('which existed before: nothing was created');
    expect([another.exitCode, another.stdout]).toEqual([6, '']);
    expect(another.events().at(-1)).toMatchObject({ outcome: 'unknown' });
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

  const cutRefusal = (status: number, bytes: number) => async () => ({
    status,
    headers: { 'retry-after': '5' },
    body: (async function* () {
      yield Buffer.alloc(bytes, 0x20);
      throw networkError('ECONNRESET');
    })(),
  });

  const html = { 'content-type': 'text/html' };
  test.for([
    ['a 404 page', 'refused', 3, reply(404, '<html>', html)],
    ['a 400 that is cut short', 'refused', 3, cutRefusal(400, 1)],
    ['a 401 of two megabytes', 'refused', 4, cutRefusal(401, 2_000_000)],
    ['a 201 of half an object', 'unknown', 6, reply(201, '{"id":1,"na')],
    ['a 201 that is cut off in its body', 'unknown', 6, cutInBody],
    ['no answer', 'unknown', 6, 'stall'],
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
    ['nothing', cutBefore, 'after 1m the list shows no category with this name'],
    [
      'it',
      cutAfter,
      'the list shows "rabbit" with id 1, created by this request or by another one',
    ],
  ] as const)(
    'is unknown after a broken connection: the list shows %s, at once or a minute later',
    async ([, reaction, shown], { create, sandbox, clock }) => {
      const start = clock.now();
      sandbox.reactions.push(reaction);

      const { exitCode, stdout, stderr } = await create();

      expect([exitCode, stdout]).toEqual([6, '']);
      const isThere = reaction === cutAfter;
      const advice = isThere
        ? ['It may have been created.', 'Check before you retry. Run: petstore categories get 1']
        : [
            'It was probably not created.',
            'To retry, run the same command again with --if-missing.',
          ];
      const message = `petstore: 127.0.0.1:4010 closed the connection; ${shown}`;
      expect(stderr).toContain([message, ...advice, ''].join('\n'));
      expect(clock.now() - start >= 60_000).toBe(!isThere);
      expect(methods(sandbox)).toBe(isThere ? 'POST GET' : 'POST GET GET');
      expect(stderr.match(/^.*checking.*$/gm)?.at(0)).toBe(
        'petstore: 127.0.0.1:4010 closed the connection. It may have been created; checking the list',
      );
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
    [
      'two of its name',
      'rabbit',
      cutAfter,
      'the list shows "rabbit" with id 70, "rabbit" with id 1',
    ],
    ['something similar', 'Rabbit ', cutBefore, 'after 1m the list shows "Rabbit " with id 70'],
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
        `127.0.0.1:4010 closed the connection; ${shown}, created by this request or by another one`,
      );
    },
  );

  test('stays unknown if the service is not there any more', async ({ create, sandbox }) => {
    sandbox.react = () => networkError('ECONNREFUSED');
    sandbox.reactions.push(cutAfter);

    const { exitCode, stderr } = await create();

    expect(exitCode).toBe(6);
    expect(stderr).toContain(
      'petstore: 127.0.0.1:4010 closed the connection\nIt may have been created.\nCheck before you retry. Run: petstore categories list\n',
    );
  });

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

  test.for([
    [
      80,
      'petstore: created on staging\n',
      'petstore: waiting up to 5s for the response; Ctrl-C again to stop\n',
    ],
    [undefined, '', ''],
  ] as const)(
    'is said with its profile, and what Ctrl-C waits for, on a terminal alone: %s columns',
    async (row, { petstore, sandbox }) => {
      const [columns, created, waiting] = row;
      const ctrlC = new AbortController();
      const argv = ['categories', 'create', 'rabbit', '-p', 'staging', '--no-color', '-q'];
      const options = { ...(columns && { columns }), signal: ctrlC.signal };
      const said = (await petstore(argv.slice(0, -1), options)).stderr;
      sandbox.reactions.push(async (_request, forward) => {
        const answer = forward();
        ctrlC.abort(interrupted(130));
        return answer;
      });

      const { stderr } = await petstore(argv.slice(0, -1), options);

      expect(said.match(/^.*created on.*\n/gm)?.join('') ?? '').toBe(created);
      expect(stderr.match(/^.*Ctrl-C.*\n/gm)?.join('') ?? '').toBe(waiting);
    },
  );

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
        context: { stdout: outputTo(write) },
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
    const stdout = outputTo(write);

    const { exitCode, stderr } = await create([], { signal: ctrlC.signal, context: { stdout } });

    expect(exitCode).toBe(130);
    expect(stderr).toContain('petstore: interrupted\nThe category was created with id 1.\n');
  });

  const writing = (code: string) => {
    const write = () => Promise.reject(networkError(code));
    return { context: { stdout: outputTo(write) } };
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
