import { describe } from 'vitest';
import type { Clock } from '../support/clock.ts';
import { apply, put, three } from '../support/import-cases.ts';
import {
  test as base,
  expect,
  type Fixtures,
  networkError,
  type Reaction,
  reply,
  silence,
} from '../support/petstore.ts';
import { type Category, exact, type Send, type WireAnswer } from '../support/values.ts';

type WireRequest = Parameters<Send>[0];
type Create = (request: WireRequest, forward: Send, clock: Clock) => Promise<WireAnswer>;
/** Decides what the `count`th list shows; undefined is a server error. */
type List = (categories: readonly Category[], count: number) => readonly Category[] | undefined;
type Misbehaviour = {
  readonly list?: List;
  /** Decides what becomes of the first create of cat, or of so many. */
  readonly create?: Create;
  readonly times?: number;
  /** As that request arrives, another client creates ("+dog") or deletes ("-dog") a category. */
  readonly changes?: Readonly<Record<string, string>>;
};
type Result = Awaited<ReturnType<Fixtures['petstore']>>;

const test = base.extend<{
  misbehave: (how: Misbehaviour) => void;
  importTwice: () => Promise<readonly [Result, Result]>;
}>({
  misbehave: async ({ sandbox, forward, clock }, use) => {
    await use(
      (how) =>
        void misbehave(sandbox, how, (create) => (request) => create(request, forward, clock)),
    );
  },
  importTwice: async ({ petstore, folder }, use) => {
    const file = put(folder, three);
    await use(async () => {
      const argv = ['categories', 'import', file, ...apply];
      return [await petstore(argv), await petstore(argv)];
    });
  },
});

const twice: List = (categories) => [...categories, ...categories];
const empty: List = (categories, count) => (count === 2 ? [] : categories);
const withoutCat: List = (categories, count) =>
  count === 2 ? categories.filter(({ name }) => name !== 'cat') : categories;
/** The first one after the plan and its three repetitions fail. */
const failing: List = (categories, count) => (count > 1 && count < 6 ? undefined : categories);
/** The cat that was there before is missing from the second list, and stands first in the third. */
const reappearing: Misbehaviour = {
  list: (categories) => categories.toSorted((a, b) => Number(b.id) - Number(a.id)),
  changes: { 'list 1': '+cat', 'list 2': '-cat', 'list 3': '+cat' },
  create: resetLate,
};

const late = { create: resetLate };
const added = { 'list 2': '+cat' };
const deletedAgain = { 'list 1': '+dog', 'POST cat': '-dog' };

/** What happens, the exit code of the first run, the creates that both send, the copies that are named. */
type Row = [what: string, exitCode: number, creates: number, copies: string[], how: Misbehaviour];

describe('an import of dog, cat and emu leaves each of them once, or names the copy, when', () => {
  test.for<Row>([
    ['lists have all twice', 0, 3, [], { list: twice }],
    ['lists have all twice, cat is unknown', 0, 3, [], { list: twice, create: resetLate }],
    ['lists have all twice, cat was not created', 0, 4, [], { list: twice, create: reset }],
    ['a list lacks cat', 0, 3, [], { list: withoutCat }],
    ['a list is empty, cat is unknown', 0, 3, [], { list: empty, create: resetLate }],
    ['a list lacks unknown cat alone', 7, 4, ['cat'], { list: withoutCat, create: resetLate }],
    ['lists fail, cat is unknown', 6, 3, [], { list: failing, create: resetLate }],
    ['the response for cat is that for dog', 0, 3, [], { create: respond(1, 'dog') }],
    ['503 comes before the body is sent', 0, 4, [], { create: early(503) }],
    ['429 comes before the body is sent', 0, 4, [], { create: early(429) }],
    ['401 comes before the body is sent', 7, 4, [], { create: early(401) }],
    ['201 comes before the body is sent, and breaks off', 0, 3, [], { create: breakOff }],
    ['201 comes before the body is sent, and stalls', 0, 3, [], { create: stall }],
    ['an idle connection is closed before the request', 0, 4, [], { create: fail('EPIPE') }],
    ['four are closed before the request', 0, 7, [], { create: fail('EPIPE'), times: 4 }],
    ['an idle connection is reset by the request', 0, 4, [], { create: reset }],
    ['an idle connection is reset by the response', 0, 3, [], { create: resetLate }],
    ['cat is created 50 s after the reset', 0, 3, [], { create: createLate }],
    ['cat is missing from one list, which is stale, and listed again', 0, 2, [], reappearing],
    ['another client creates emu before us', 7, 3, ['emu'], { changes: { 'POST emu': '+emu' } }],
    ['another client creates cat after us', 7, 3, ['cat'], { changes: added }],
    ['another one creates cat, ours is unknown', 7, 3, ['cat'], { ...late, changes: added }],
    ['another client creates cat in place of us', 0, 3, [], { changes: added, create: reset }],
    ['another client creates dog before the plan', 0, 2, [], { changes: { 'list 1': '+dog' } }],
    ['another one creates dog and deletes it', 5, 3, [], { changes: deletedAgain }],
    ['another client deletes unknown cat', 0, 4, [], { ...late, changes: { 'list 2': '-cat' } }],
    ['another client deletes dog after the end', 0, 4, [], { changes: { 'list 3': '-dog' } }],
  ])('%s', async ([, exitCode, creates, copies, how], { misbehave, importTwice, sandbox }) => {
    misbehave(how);

    const [first, second] = await importTwice();

    expect([first.exitCode, second.exitCode]).toEqual([exitCode, 0]);
    expect(countCreates(sandbox)).toBe(creates);
    expect(copiesIn(first)).toMatchObject(copies.map((name) => ({ name })));
    const said = `${first.events().at(-1)?.message}`;
    for (const name of copies) expect(said).toContain(`1 duplicate: "${name}" with id `);
    expectEachOnce(sandbox, second, [...copiesIn(first), ...itemsIn(first)]);
  });
});

describe('an import whose last list lacks what it created names it, and one after an hour goes by the list, when', () => {
  test.for<[what: string, how: Misbehaviour]>([
    ['another client deleted it', { changes: { 'list 2': '-cat' } }],
    ['201 was a lie', { create: early(201, '{"id":77,"name":"cat"}') }],
  ])('%s', async ([, how], { misbehave, importTwice, sandbox, clock }) => {
    misbehave(how);
    const start = clock.uptime();

    for (const { exitCode, events } of await importTwice()) {
      expect(exitCode).toBe(5);
      expect(events().at(-1)).toMatchObject({
        message: 'the list is out of date: it lacks "cat"',
      });
    }
    expect(countCreates(sandbox)).toBe(3);
    // Each run asks again for a minute, after pauses that double.
    expect(clock.uptime() - start).toBeLessThan(130_000);
    expect(sandbox.requests.length).toBeLessThan(20);

    await clock.sleep(3_600_000, new AbortController().signal);
    const [afterwards] = await importTwice();

    expect(afterwards.exitCode).toBe(0);
    expect(countCreates(sandbox)).toBe(4);
    expectEachOnce(sandbox, afterwards);
  });
});

test.for(['cat', 'CAT'])(
  'a 201 with the id of an older category and the name %s creates no row',
  async (name, { misbehave, importTwice, sandbox }) => {
    misbehave({ create: respond(1, name) });

    const [first, second] = await importTwice();

    expect([first.exitCode, second.exitCode]).toEqual([7, 0]);
    expect(first.stderr).toContain('which existed before');
    expect(first.events().at(-1)).toMatchObject({
      message: '1 row answered with older categories, 1 duplicate: "cat" with id 2',
    });
    expect(JSON.parse(first.stdout).items[1]).toMatchObject({ outcome: 'existing', id: 1 });
    expect(copiesIn(first)).toMatchObject([{ name: 'cat' }]);
    expect(countCreates(sandbox)).toBe(3);
  },
);

/** Empties the service, which misbehaves from now on. */
function misbehave(
  sandbox: Fixtures['sandbox'],
  how: Misbehaviour,
  react: (create: Create) => Reaction,
): void {
  const { list = (categories) => categories, create, changes = {} } = how;
  let { times = 1 } = how;
  let lists = 0;
  sandbox.lastId = 0n;
  sandbox.categories.length = 0;
  sandbox.requests.length = 0;
  sandbox.react = ({ method, body = '{}' }) => {
    const { name } = JSON.parse(body);
    if (method === 'GET') lists += 1;
    change(sandbox.categories, changes[method === 'GET' ? `list ${lists}` : `POST ${name}`]);
    if (method === 'GET') return listReply(list(sandbox.categories, lists));
    if (!create || name !== 'cat' || times === 0) return undefined;
    times -= 1;
    return react(create);
  };
}

function change(categories: Category[], what = ''): void {
  const name = what.slice(1);
  const index = categories.findIndex((category) => category.name === name);
  if (what.startsWith('+')) categories.push({ id: exact('99'), name });
  if (what.startsWith('-')) categories.splice(index, 1);
}

function listReply(categories: readonly Category[] | undefined): Response {
  if (!categories) return reply(500, '');
  const body = categories.map(({ id, ...rest }) => ({ ...rest, id: Number(id) }));
  return reply(200, body);
}

/** Fails while nothing has left. */
function fail(code: string): Create {
  return () => Promise.reject(networkError(code));
}

async function reset({ onSent }: WireRequest): Promise<never> {
  onSent();
  throw networkError('ECONNRESET');
}

/** Fails when the category has been created. */
async function resetLate(request: WireRequest, forward: Send): Promise<never> {
  for await (const _ of (await forward(request)).body);
  throw networkError('ECONNRESET');
}

async function createLate(request: WireRequest, forward: Send, clock: Clock): Promise<never> {
  const { signal } = new AbortController();
  void clock
    .sleep(50_000, signal)
    .then(() => resetLate(request, forward))
    .catch(() => {});
  return reset(request);
}

/** Creates the category and responds with another one. */
function respond(id: number, name: string): Create {
  return async (request, forward) => {
    for await (const _ of (await forward(request)).body);
    return answer(201, JSON.stringify({ id, name }));
  };
}

/** Responds to the head of the request, whose body never leaves. */
function early(status: number, text = ''): Create {
  return async () => answer(status, text);
}

/** Responds to the head of the request, creates the category once its body has come, and fails. */
async function breakOff(request: WireRequest, forward: Send): Promise<WireAnswer> {
  for await (const _ of (await forward({ ...request, onSent: () => {} })).body);
  return answer(201, '{"id', Promise.reject(networkError('ECONNRESET')));
}

async function stall(request: WireRequest, forward: Send): Promise<WireAnswer> {
  for await (const _ of (await forward({ ...request, onSent: () => {} })).body);
  return answer(201, '{"id', silence);
}

function answer(status: number, text: string, end?: Promise<never>): WireAnswer {
  const body = (async function* () {
    yield Buffer.from(text);
    await end;
  })();
  return { status, headers: { 'retry-after': '9' }, body };
}

function countCreates({ requests }: Fixtures['sandbox']): number {
  return requests.filter(({ method }) => method === 'POST').length;
}

function copiesIn({ stdout }: Result): readonly { readonly id: number }[] {
  return JSON.parse(stdout).copies;
}

function itemsIn({ stdout }: Result): readonly { readonly id: number }[] {
  return JSON.parse(stdout).items.filter(({ id }: { id?: number }) => id !== undefined);
}

/** Expects dog, cat and emu at the service, and that each category there is a row's or a named copy. */
function expectEachOnce(
  { categories }: Fixtures['sandbox'],
  { stdout }: Result,
  copies: readonly { readonly id: number }[] = [],
): void {
  const known = new Set([...JSON.parse(stdout).items, ...copies].map(({ id }) => String(id)));
  const nobodys = categories.filter(({ id }) => !known.has(String(id)));
  expect(nobodys, 'categories of no row, which are not named as copies').toEqual([]);
  expect(new Set(categories.map(({ name }) => name))).toEqual(new Set(['dog', 'cat', 'emu']));
}
