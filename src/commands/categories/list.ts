import { type Command, Option } from 'commander';
import { listCategories, wholeList } from '../../api/endpoints.ts';
import type { Category } from '../../api/resources.ts';
import { usageFailure } from '../../errors.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import { categoryColumns } from './columns.ts';

type Order = (a: Category, b: Category) => number;

const ascending = {
  id: (a, b) => compare(BigInt(a.id.text), BigInt(b.id.text)),
  name: (a, b) => compare(a.name, b.name),
  description: (a, b) => compare(a.description ?? '', b.description ?? ''),
} satisfies Record<string, Order>;

/** Descending is no reversed list: categories that are equal keep the order of the service. */
const orders: Readonly<Record<string, Order>> = {
  ...ascending,
  ...Object.fromEntries(
    Object.entries(ascending).map(([field, order]) => [`-${field}`, (a, b) => order(b, a)]),
  ),
};

type Options = {
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: number;
};

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore categories list --search dog --limit 10',
    'petstore categories list --sort -id -o ndjson',
    "petstore categories list --query '[].name' -o raw",
  ]);
  addColumns(command, categoryColumns);
  command
    .option('--search <text>', 'filter by text in name or description, ignoring case')
    .addOption(
      new Option('--sort <field>', 'sort by this field, descending with a leading -').choices(
        Object.keys(orders),
      ),
    )
    .addOption(
      new Option('--limit <number>', 'print at most this many categories').argParser(parseLimit),
    )
    .action(async ({ search, sort, limit = Number.POSITIVE_INFINITY }: Options) =>
      inSession(host, command, async ({ connect, output }) => {
        output.checkColumns(categoryColumns);
        const client = await connect();

        const order = sort === undefined ? undefined : orders[sort];
        const found = (all: Category[]) =>
          search === undefined ? all : all.filter(matches(search));
        const empty =
          search === undefined ? 'No categories yet.' : `No categories match "${search}".`;
        const list = await client.stream(order ? wholeList : listCategories, {});
        if (Array.isArray(list)) {
          const listed = order ? found(list).sort(order) : found(list);
          return output.records(listed.slice(0, limit), categoryColumns, empty);
        }
        const pieces = each(list, found);
        const listed =
          sort && order ? await sortLong(pieces, order, sort.replace(/^-/, '')) : pieces;
        const first = limit < Number.POSITIVE_INFINITY ? take(listed, limit) : listed;
        await output.stream(first, categoryColumns, { what: 'categories', empty });
      }),
    );
}

/** @throws Failure (usage) */
function parseLimit(text: string): number {
  if (/^0*[1-9]\d*$/.test(text)) return Number(text);
  throw usageFailure(
    `invalid value${quotedUnlessKey(text)} for --limit: must be a positive integer`,
    'For example: --limit 10',
  );
}

function matches(search: string): (category: Category) => boolean {
  const wanted = fold(search);
  return ({ name, description = '' }) =>
    [name, description].some((text) => fold(text).includes(wanted));
}

async function* each<T>(pieces: AsyncIterable<T>, change: (piece: T) => T): AsyncGenerator<T> {
  for await (const piece of pieces) yield change(piece);
}

/** The first elements of a list. Nothing is read beyond them: the end of this loop closes the connection. */
async function* take<T>(
  pieces: AsyncIterable<readonly T[]>,
  limit: number,
): AsyncGenerator<readonly T[]> {
  let left = limit;
  for await (const piece of pieces) {
    yield piece.length > left ? piece.slice(0, left) : piece;
    left -= piece.length;
    if (left <= 0) return;
  }
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** By code units, so that the order is the same on every machine. */
function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function sortLong(pieces: AsyncIterable<readonly Category[]>, order: Order, field: string) {
  const { sortLong } = await import('./sort-long.ts').catch(unloadable);
  return sortLong(pieces, order, field);
}
