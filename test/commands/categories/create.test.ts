import { describe } from 'vitest';
import { startTime } from '../../support/clock.ts';
import { cutAfter, cutBefore, methods, type Run } from '../../support/import-cases.ts';
import {
  test as base,
  expect,
  type Fixtures,
  networkError,
  outputTo,
  type Reaction,
  type RunOptions,
  reply,
} from '../../support/petstore.ts';
import { never } from '../../support/told.ts';
import { category, interrupted } from '../../support/values.ts';

const test = base.extend<{ create: (flags?: string, options?: RunOptions) => Run }>({
  /** Creates rabbit. */
  create: ({ petstore }, use) =>
    use((flags = '', options) => petstore(`categories create rabbit ${flags}`, options)),
});

/** What it refuses of a command line, and what each answer means, is in messages/. */
const looksAlike = '"rabbit" is similar to " Rabb\u00adIT" (id 8), which exists';
const planned = { method: 'POST', body: { name: 'rabbit' } };
const would = '"rabbit" does not exist; this would create it';
test.for<[string, string[], string, string, object, string]>([
  ['shows it', ['cat', 'rabbit'], '', 'GET', { id: 8 }, '"rabbit" already exists'],
  ['shows it', ['rabbit'], '--dry-run', 'GET', { id: 7 }, '"rabbit" already exists'],
  ['says that it would', ['cat'], '--dry-run', 'GET', planned, would],
  ['warns', ['cat', ' Rabb\u00adIT'], '--dry-run', 'GET', planned, `${looksAlike}; ${would}`],
  ['warns, and creates it', ['cat', ' Rabb\u00adIT'], '', 'GET POST', { id: 1 }, looksAlike],
])('create --if-missing %s: there is %j, %s', async (row, { create, sandbox }) => {
  const [, there, flag, sent, shown, says] = row;
  sandbox.categories.push(...there.map((name, index) => category(String(index + 7), name)));

  const { exitCode, json, events } = await create(`--if-missing --json ${flag}`);

  expect([exitCode, methods(sandbox)]).toEqual([0, sent]);
  expect(json).toMatchObject({ ...shown, ...('id' in shown && { name: 'rabbit' }) });
  const messages = events().flatMap(({ message }) => message ?? []);
  expect(messages.join('; ')).toBe(says);
});

test.for([
  ['older, and shown', 7, 'RABBIT', 0, 'which existed before: nothing was created'],
  ['another, so nothing is known', 8, 'dog', 6, 'Run: petstore categories get 7'],
] as const)('takes a 201 with the id of an older one for %s', async (row, { create, sandbox }) => {
  const [, id, name, exit, says] = row;
  sandbox.categories.push(category('7', 'RABBIT'), category('8', 'dog'));
  sandbox.react = ({ method }) => (method === 'POST' ? reply(201, { id, name }) : undefined);

  const { exitCode, stdout, stderr } = await create('--if-missing -o ndjson');

  expect([exitCode, stdout]).toEqual([exit, exit === 0 ? '{"id":7,"name":"RABBIT"}\n' : '']);
  expect(stderr.replaceAll('\\', '')).toContain(says);
});

test.for([{}, { columns: 80 }])(
  'create says its profile, and what Ctrl-C waits for, on a terminal alone: %o',
  async (terminal, { create, sandbox }) => {
    const ctrlC = new AbortController();
    const run = () => create('-p staging --no-color', { ...terminal, signal: ctrlC.signal });
    const created = await run();
    sandbox.reactions.push(interruptedBy(ctrlC));
    const stopped = await run();

    const isTerminal = 'columns' in terminal;
    expect(/^petstore: created on staging$/m.test(created.stderr)).toBe(isTerminal);
    const waits = /waiting up to 5s for the response; Ctrl-C again to stop$/m;
    expect(waits.test(stopped.stderr)).toBe(isTerminal);
  },
);

describe('after a broken connection a create', () => {
  const closed = '127.0.0.1:4010 closed the connection';
  const byWhom = 'created by this request or by another one\nIt may have been created.\nCheck';
  const there =
    (name: string, reaction: Reaction) =>
    ({ categories }: Sandbox) => {
      categories.push(category('70', name));
      return reaction;
    };
  const gone = (sandbox: Sandbox) => {
    sandbox.react = () => networkError('ECONNREFUSED');
    return cutAfter;
  };

  test.for<[string, (sandbox: Sandbox) => Reaction, string, string]>([
    [
      'probably did nothing if the list is without it a minute later',
      () => cutBefore,
      'POST GET GET',
      `${closed}; after 1m the list shows no category with this name\nIt was probably not created.\nTo retry, run the same command again with --if-missing.\n`,
    ],
    [
      'is unknown if the list shows one',
      () => cutAfter,
      'POST GET',
      `${closed}; the list shows "rabbit" with id 1, ${byWhom} before you retry. Run: petstore categories get 1\n`,
    ],
    [
      'is unknown if the service has gone',
      gone,
      'POST GET GET GET GET GET GET GET GET',
      `${closed}\nIt may have been created.\nCheck before you retry. Run: petstore categories list\n`,
    ],
    [
      'has worked if --if-missing saw none before, and the list shows one',
      () => cutAfter,
      'GET POST GET',
      'created with id 1, as the list shows\n',
    ],
    [
      'is unknown if --if-missing saw none before, and the list shows two',
      there('rabbit', cutAfter),
      'GET POST GET',
      `${closed}; the list shows "rabbit" with id 70, "rabbit" with id 1, ${byWhom}`,
    ],
    [
      'is unknown if --if-missing saw none before, and the list shows a similar one',
      there('Rabbit ', cutBefore),
      'GET POST GET GET',
      `${closed}; after 1m the list shows "Rabbit " with id 70, ${byWhom}`,
    ],
  ])('%s', async ([what, reactionIn, sent, says], { create, sandbox, clock }) => {
    sandbox.react = ({ method }) => (method === 'POST' ? reactionIn(sandbox) : undefined);

    const flag = /--if-missing/.exec(what)?.[0];
    const { exitCode, stdout, stderr } = await create(flag);

    const isKnown = says.startsWith('created');
    expect([exitCode, stdout !== '', methods(sandbox)]).toEqual([isKnown ? 0 : 6, isKnown, sent]);
    expect(stderr).toContain(`${closed}. It may have been created; checking the list\n`);
    expect(stderr).toContain(`petstore: ${says}`);
    if (says.includes('after 1m')) expect(clock.now() - startTime).toBeGreaterThanOrEqual(60_000);
  });
});

test('a create is sent again once the wait of a 429 is over that was cut short', async ({
  create,
  sandbox,
  clock,
}) => {
  sandbox.reactions.push(async () => ({
    status: 429,
    headers: { 'retry-after': '5' },
    // biome-ignore lint/correctness/useYield: the connection breaks before any byte
    body: (async function* () {
      throw networkError('ECONNRESET');
    })(),
  }));

  expect((await create()).exitCode).toBe(0);
  expect(clock.now() - startTime).toBeGreaterThanOrEqual(5_000);
  expect([methods(sandbox), sandbox.categories.length]).toEqual(['POST POST', 1]);
});

test('Ctrl-C in the wait after a 429 ends a create that was refused', async ({
  create,
  sandbox,
  clock,
}) => {
  const ctrlC = new AbortController();
  sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }));
  const sleep = async (ms: number, signal: AbortSignal) => {
    if (sandbox.requests.length > 0) ctrlC.abort(interrupted(130));
    return clock.sleep(ms, signal);
  };

  const { exitCode, events } = await create('--json', { signal: ctrlC.signal, context: { sleep } });

  expect(exitCode).toBe(130);
  expect(events().at(-1)).toMatchObject({ kind: 'interrupted', outcome: 'refused' });
});

describe('a category that was created when Ctrl-C came', () => {
  const id = 'petstore: created "rabbit" with id 1; interrupted\n';
  test.for<[string, string, (clock: Fixtures['clock'], stop: () => void) => Promise<void>]>([
    ['is printed within a second', '', (clock) => clock.sleep(900, never)],
    ['is said by its id if nobody reads in time', id, (clock) => clock.sleep(1e9, never)],
    [
      'is said if it comes while nobody reads',
      id,
      (_, stop) => new Promise(() => setImmediate(stop)),
    ],
  ])('%s', async ([what, says, write], { create, sandbox, clock }) => {
    const ctrlC = new AbortController();
    const stop = () => ctrlC.abort(interrupted(130));
    if (!what.includes('while')) sandbox.reactions.push(interruptedBy(ctrlC));
    const stdout = outputTo(() => write(clock, stop));

    const { exitCode, stderr } = await create('', { signal: ctrlC.signal, context: { stdout } });

    expect(exitCode).toBe(130);
    expect(stderr).toContain(says);
    expect(stderr.includes('interrupted')).toBe(says !== '');
  });
});

test.for([
  ['ENOSPC', '', 74, /^petstore: created "rabbit" with id 1; cannot write .*\n$/],
  ['EPIPE', '', 141, /^petstore: created "rabbit" with id 1; the result could not be printed\n$/],
  ['EPIPE', '--json', 141, /"created \\"rabbit\\" with id 1; .*"outcome":"created"/],
  ['EPIPE', '--if-missing', 141, /^$/],
] as const)(
  'a result that cannot be printed (%s) names its id: %s',
  async ([code, flags, exit, says], { create, sandbox }) => {
    if (flags === '--if-missing') sandbox.categories.push(category('1', 'rabbit'));
    const stdout = outputTo(() => Promise.reject(networkError(code)));

    const { exitCode, stderr } = await create(`${flags} -q`, { context: { stdout } });

    expect(exitCode).toBe(exit);
    expect(stderr).toMatch(says);
    expect(sandbox.categories).toHaveLength(1);
  },
);

type Sandbox = Fixtures['sandbox'];

/** Ctrl-C comes before the response. */
function interruptedBy(ctrlC: AbortController): Reaction {
  return (_request, forward) => {
    const answer = forward();
    ctrlC.abort(interrupted(130));
    return answer;
  };
}
