import { type Command, Option } from 'commander';
import { listCategories } from '../../api/endpoints.ts';
import type { Category } from '../../api/resources.ts';
import { usageFailure } from '../../errors.ts';
import type { App } from '../../session/app.ts';
import { withSession } from '../../session/session.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { addExamples } from '../help.ts';
import { categoryColumns } from './columns.ts';
import { type Sorting, sortLong } from './sort-long.ts';

const ascending: readonly Sorting[] = [
  { field: 'id', order: (a, b) => compare(BigInt(a.id.text), BigInt(b.id.text)) },
  { field: 'name', order: (a, b) => compare(a.name, b.name) },
  {
    field: 'description',
    order: (a, b) => compare(a.description ?? '', b.description ?? ''),
  },
];
/** Not the reversed list: categories that are equal keep the order of the service. */
const descending = ascending.map(
  ({ field, order }): Sorting => ({ field, order: (a, b) => order(b, a) }),
);

const sortings: Readonly<Record<string, Sorting>> = Object.fromEntries([
  ...ascending.map((sorting) => [sorting.field, sorting]),
  ...descending.map((sorting) => [`-${sorting.field}`, sorting]),
]);

type Options = {
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: number;
};

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore categories list --search dog --sort -id --limit 10',
    'petstore categories list -o csv > backup.csv',
    "petstore categories list --query '[].name' -o raw",
  ]);
  command
    .option('--search <text>', 'filter by text in name or description, ignoring case')
    .addOption(
      new Option('--sort <field>', 'sort by this field, descending with a leading -').choices(
        Object.keys(sortings),
      ),
    )
    .addOption(
      new Option('--limit <number>', 'print at most this many categories').argParser(parseLimit),
    )
    .action(async ({ search, sort, limit = Number.POSITIVE_INFINITY }: Options) =>
      withSession(app, command, async (session) => {
        const { output } = session;
        output.checkColumns(categoryColumns);
        const client = await session.client();

        const sorting = sort === undefined ? undefined : sortings[sort];
        const found = (all: Category[]) =>
          search === undefined ? all : all.filter(matches(search));
        const empty =
          search === undefined ? 'No categories yet.' : `No categories match "${search}".`;
        const texts = { columns: categoryColumns, empty, unit: 'categories' };
        const list = await client.list(listCategories, { mayStream: !sorting });
        const batches = mapBatches(list, found);
        const listed = sorting ? sortLong(batches, sorting) : batches;
        const first = limit < Number.POSITIVE_INFINITY ? take(listed, limit) : listed;
        await output.print({ ...texts, data: first });
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

async function* mapBatches<T>(
  batches: AsyncIterable<T>,
  change: (batch: T) => T,
): AsyncGenerator<T> {
  for await (const batch of batches) yield change(batch);
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
