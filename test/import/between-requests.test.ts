import { describe } from 'vitest';
import {
  test as base,
  creates,
  cutAfter,
  cutBefore,
  type Create as Reaction,
  type Run,
  three,
} from '../support/import-cases.ts';
import { expect, type Fixtures, networkError, reply, silence } from '../support/petstore.ts';
import { never } from '../support/told.ts';
import { type Category, exact, type WireAnswer, type WireRequest } from '../support/values.ts';

type World = Pick<Fixtures, 'clock' | 'forward' | 'sandbox'>;
type Create = (...args: [...Parameters<Reaction>, world: World]) => Promise<WireAnswer>;
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
type Forward = () => Promise<WireAnswer>;
type Result = Awaited<Run>;

const test = base.extend<{
  /** Imports dog, cat and emu twice at a service that misbehaves. */
  importTwice: (how?: Misbehaviour) => Promise<readonly [Result, Result]>;
}>({
  importTwice: ({ importText, sandbox, clock, forward }, use) =>
    use(async (how) => {
      if (how) misbehave({ sandbox, clock, forward }, how);
      return [await importText(three), await importText(three)];
    }),
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
  create: cutAfter,
};
const late = { create: cutAfter };
const added = { 'list 2': '+cat' };
const deletedAgain = { 'list 1': '+dog', 'POST cat': '-dog' };

/** What happens, the exit code of the first run, the creates that both send, the copies that are named. */
type Row = [what: string, exitCode: number, sent: number, copies: string[], how: Misbehaviour];

describe('an import of dog, cat and emu leaves each of them once, or names the copy, when', () => {
  test.for<Row>([
    ['lists have all twice', 0, 3, [], { list: twice }],
    ['lists have all twice, cat is unknown', 0, 3, [], { list: twice, create: cutAfter }],
    ['lists have all twice, cat was not created', 0, 4, [], { list: twice, create: cutBefore }],
    ['a list lacks cat', 0, 3, [], { list: withoutCat }],
    ['a list is empty, cat is unknown', 0, 3, [], { list: empty, create: cutAfter }],
    ['a list lacks unknown cat alone', 7, 4, ['cat'], { list: withoutCat, create: cutAfter }],
    ['lists fail, cat is unknown', 6, 3, [], { list: failing, create: cutAfter }],
    ['the response for cat is that for dog', 0, 3, [], { create: respond(1, 'dog') }],
    ['503 comes before the body is sent', 0, 4, [], { create: early(503) }],
    ['429 comes before the body is sent', 0, 4, [], { create: early(429) }],
    ['401 comes before the body is sent', 7, 4, [], { create: early(401) }],
    ['201 comes before the body is sent, and breaks off', 0, 3, [], { create: breakOff }],
    ['201 comes before the body is sent, and stalls', 0, 3, [], { create: stall }],
    ['an idle connection is closed before the request', 0, 4, [], { create: close }],
    ['four are closed before the request', 0, 7, [], { create: close, times: 4 }],
    ['cat is created 50 s after the reset', 0, 3, [], { create: createLate }],
    ['cat is missing from one list, which is stale, and listed again', 0, 2, [], reappearing],
    ['another client creates emu before us', 7, 3, ['emu'], { changes: { 'POST emu': '+emu' } }],
    ['another client creates cat after us', 7, 3, ['cat'], { changes: added }],
    ['another one creates cat, ours is unknown', 7, 3, ['cat'], { ...late, changes: added }],
    ['another one creates cat in place of us', 0, 3, [], { changes: added, create: cutBefore }],
    ['another client creates dog before the plan', 0, 2, [], { changes: { 'list 1': '+dog' } }],
    ['another one creates dog and deletes it', 5, 3, [], { changes: deletedAgain }],
    ['another client deletes unknown cat', 0, 4, [], { ...late, changes: { 'list 2': '-cat' } }],
    ['another client deletes dog after the end', 0, 4, [], { changes: { 'list 3': '-dog' } }],
  ])('%s', async ([, exitCode, sent, copies, how], { importTwice, sandbox }) => {
    const [first, second] = await importTwice(how);

    expect([first.exitCode, second.exitCode]).toEqual([exitCode, 0]);
    expect(creates(sandbox)).toHaveLength(sent);
    expect(first.json.copies).toMatchObject(copies.map((name) => ({ name })));
    const said = `${first.events().at(-1)?.message}`;
    for (const name of copies) expect(said).toContain(`1 duplicate: "${name}" with id `);
    expectEachOnce(sandbox, second, [...first.json.copies, ...itemsIn(first)]);
  });
});

describe('an import whose last list lacks what it created names it, and one after an hour goes by the list, when', () => {
  test.for<[what: string, how: Misbehaviour]>([
    ['another client deleted it', { changes: { 'list 2': '-cat' } }],
    ['201 was a lie', { create: early(201, '{"id":77,"name":"cat"}') }],
  ])('%s', async ([, how], { importTwice, sandbox, clock }) => {
    const start = clock.uptime();

    for (const { exitCode, events } of await importTwice(how)) {
      expect(exitCode).toBe(5);
      expect(events().at(-1)?.message).toBe('the list is out of date: it lacks "cat"');
    }
    expect(creates(sandbox)).toHaveLength(3);
    // Each run asks again for a minute, after pauses that double.
    expect(clock.uptime() - start).toBeLessThan(130_000);
    expect(sandbox.requests.length).toBeLessThan(20);

    await clock.sleep(3_600_000, never);
    const [afterwards] = await importTwice();

    expect([afterwards.exitCode, creates(sandbox).length]).toEqual([0, 4]);
    expectEachOnce(sandbox, afterwards);
  });
});

test.for(['cat', 'CAT'])(
  'a 201 with the id of an older category and the name %s creates no row',
  async (name, { importTwice, sandbox }) => {
    const [first, second] = await importTwice({ create: respond(1, name) });

    expect([first.exitCode, second.exitCode]).toEqual([7, 0]);
    expect(first.stderr).toContain('which existed before');
    expect(first.events().at(-1)?.message).toBe(
      '1 row answered with older categories, 1 duplicate: "cat" with id 2',
    );
    expect(first.json.items[1]).toMatchObject({ outcome: 'existing', id: 1 });
    expect(first.json.copies).toMatchObject([{ name: 'cat' }]);
    expect(creates(sandbox)).toHaveLength(3);
  },
);

function misbehave(world: World, how: Misbehaviour): void {
  const { sandbox } = world;
  const { list = (categories) => categories, create, times = 1, changes = {} } = how;
  let left = create ? times : 0;
  let lists = 0;
  sandbox.react = ({ method, body = '{}' }) => {
    const { name } = JSON.parse(body);
    if (method === 'GET') lists += 1;
    change(sandbox.categories, changes[method === 'GET' ? `list ${lists}` : `POST ${name}`]);
    if (method === 'GET') return listReply(list(sandbox.categories, lists));
    if (name !== 'cat' || left === 0) return undefined;
    left -= 1;
    return create && ((request, forward) => create(request, forward, world));
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
  return reply(
    200,
    categories.map(({ id, ...rest }) => ({ ...rest, id: Number(id) })),
  );
}

/** Fails while nothing has left. */
async function close(): Promise<never> {
  throw networkError('EPIPE');
}

function createLate(request: WireRequest, forward: Forward, { clock }: World): Promise<never> {
  const isCut = clock.sleep(50_000, never).then(() => cutAfter(request, forward));
  isCut.catch(() => {});
  return cutBefore(request);
}

/** Creates the category and responds with another one. */
function respond(id: number, name: string): Create {
  return async (_request, forward) => {
    for await (const _ of (await forward()).body);
    return answer(201, JSON.stringify({ id, name }));
  };
}

/** Responds to the head of the request, whose body never leaves. */
function early(status: number, text = ''): Create {
  return async () => answer(status, text);
}

/** Responds to the head of the request, creates the category once its body has come, and fails. */
async function breakOff(request: WireRequest, _: Forward, { forward }: World): Promise<WireAnswer> {
  for await (const _ of (await forward({ ...request, onSent: () => {} })).body);
  return answer(201, '{"id', Promise.reject(networkError('ECONNRESET')));
}

async function stall(request: WireRequest, _: Forward, { forward }: World): Promise<WireAnswer> {
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

function itemsIn({ json }: Result): readonly { readonly id: number }[] {
  return json.items.filter(({ id }: { id?: number }) => id !== undefined);
}

/** Expects dog, cat and emu at the service, and that each category there is a row's or a named copy. */
function expectEachOnce(
  { categories }: Fixtures['sandbox'],
  { json }: Result,
  copies: readonly { readonly id: number }[] = [],
): void {
  const known = new Set([...json.items, ...copies].map(({ id }) => String(id)));
  const nobodys = categories.filter(({ id }) => !known.has(String(id)));
  expect(nobodys, 'categories of no row, which are not named as copies').toEqual([]);
  expect(new Set(categories.map(({ name }) => name))).toEqual(new Set(['dog', 'cat', 'emu']));
}
