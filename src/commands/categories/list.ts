import { type Command, Option } from 'commander';
import { listCategories } from '../../api/endpoints.ts';
import type { Category } from '../../api/resources.ts';
import { usageFailure } from '../../errors.ts';
import { writeJson } from '../../json/write.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { addExamples } from '../help.ts';
import { categoryColumns } from './columns.ts';

type Field = 'id' | 'name' | 'description';
const fields: readonly Field[] = ['id', 'name', 'description'];

/** In characters of JSON. Of more, only the documented fields are kept: others may take two hundred times as much memory. */
const maxWholeLength = 8 * 1024 * 1024;

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
      new Option('--sort <field>', 'sort by this field, descending with a leading -').choices([
        ...fields,
        ...fields.map((field) => `-${field}`),
      ]),
    )
    .addOption(
      new Option('--limit <number>', 'print at most this many categories').argParser(parseLimit),
    )
    .action((options: Options) =>
      withSession(app, command, (session) => printList(session, options)),
    );
}

function parseLimit(text: string): number {
  if (/^0*[1-9]\d*$/.test(text)) return Number(text);
  throw usageFailure(
    `invalid value${quotedUnlessKey(text)} for --limit: must be a positive integer`,
    'For example: --limit 10',
  );
}

async function printList({ client, output }: Session, options: Options): Promise<void> {
  const { search, sort, limit } = options;
  output.checkColumns(categoryColumns);
  let batches: AsyncIterable<readonly Category[]> = await (await client()).list(listCategories, {
    mayStream: sort === undefined,
  });
  if (search !== undefined) batches = filter(batches, search);
  if (sort !== undefined) batches = sorted(batches, sort);
  if (limit !== undefined) batches = take(batches, limit);
  await output.print({
    data: batches,
    columns: categoryColumns,
    empty: search === undefined ? 'No categories yet.' : `No categories match "${search}".`,
    unit: 'categories',
  });
}

async function* filter(
  batches: AsyncIterable<readonly Category[]>,
  search: string,
): AsyncGenerator<readonly Category[]> {
  const wanted = foldCase(search);
  for await (const batch of batches) {
    yield batch.filter(({ name, description = '' }) =>
      [name, description].some((text) => foldCase(text).includes(wanted)),
    );
  }
}

function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

async function* sorted(
  batches: AsyncIterable<readonly Category[]>,
  sort: string,
): AsyncGenerator<readonly Category[]> {
  const field = sort.replace('-', '') as Field;
  // Not the reversed list: categories that are equal keep the order of the service.
  const sign = sort.startsWith('-') ? -1 : 1;
  const list = await readAll(batches);
  yield list.sort((a, b) => sign * compare(a, b, field));
}

async function readAll(batches: AsyncIterable<readonly Category[]>): Promise<Category[]> {
  let list: Category[] = [];
  let length = 0;
  for await (const batch of batches) {
    for (const category of batch) {
      const wasWhole = length <= maxWholeLength;
      if (wasWhole) length += writeJson(category).length;
      const isWhole = length <= maxWholeLength;
      if (wasWhole && !isWhole) list = list.map(documented);
      list.push(isWhole ? category : documented(category));
    }
  }
  return list;
}

function documented({ id, name, description }: Category): Category {
  return description === undefined ? { id, name } : { id, name, description };
}

/** Compares texts by code units, so that the order is the same on every machine. */
function compare(a: Category, b: Category, field: Field): number {
  if (field === 'id') return order(BigInt(a.id.text), BigInt(b.id.text));
  return order(a[field] ?? '', b[field] ?? '');
}

function order<Value extends bigint | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Reads nothing beyond the first elements: the end of this loop closes the connection. */
async function* take(
  batches: AsyncIterable<readonly Category[]>,
  limit: number,
): AsyncGenerator<readonly Category[]> {
  let remaining = limit;
  for await (const batch of batches) {
    yield batch.length > remaining ? batch.slice(0, remaining) : batch;
    remaining -= batch.length;
    if (remaining <= 0) return;
  }
}
