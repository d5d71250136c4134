import { InvalidArgumentError } from 'commander';
import { categoryColumns, contentFields } from '../../fields.ts';
import type { Category } from '../../service/resources.ts';
import type { Session } from '../../session/session.ts';
import type { Verb } from '../verb.ts';

type Field = (typeof categoryColumns)[number];

type Options = {
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: number;
};

const sortFields = [...categoryColumns, ...categoryColumns.map((field) => `-${field}`)];

export const list: Verb = {
  options: [
    ['--search <text>', `filter by text in ${contentFields.join(' or ')}, ignoring case`],
    ['--sort <field>', 'sort by this field, descending with a leading -', sortFields],
    [
      '--limit <number>',
      'print at most this many categories, after --search and --sort',
      parseLimit,
    ],
  ],
  examples: [
    'petstore categories list --search dog --sort -id --limit 10',
    'petstore categories list -o csv > backup.csv',
    "petstore categories list --query '[].name' -o raw",
  ],
  run: printList,
};

function parseLimit(text: string): number {
  if (/^0*[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a number such as 10.');
}

async function printList({ client, output }: Session, options: Options): Promise<void> {
  const { search, sort, limit } = options;
  output.checkColumns(categoryColumns);
  let batches: AsyncIterable<readonly Category[]> = await (await client()).listCategories({
    mayStream: sort === undefined,
  });
  if (search !== undefined) batches = filter(batches, search);
  if (sort !== undefined) batches = sorted(batches, sort);
  if (limit !== undefined) batches = take(batches, limit);
  await output.print({
    list: batches,
    columns: categoryColumns,
    empty: search === undefined ? 'No categories yet.' : `No categories match "${search}".`,
  });
}

async function* filter(
  batches: AsyncIterable<readonly Category[]>,
  search: string,
): AsyncGenerator<readonly Category[]> {
  const wanted = foldCase(search);
  for await (const batch of batches) {
    yield batch.filter((category) =>
      contentFields.some((field) => foldCase(category[field] ?? '').includes(wanted)),
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
  const all: Category[] = [];
  for await (const batch of batches) for (const category of batch) all.push(category);
  // Not the reversed list: categories that are equal keep the order of the service.
  const sign = sort.startsWith('-') ? -1 : 1;
  // By code units, so that the order is the same on every machine.
  yield all.sort((first, second) => {
    const [a, b] = [first[field] ?? '', second[field] ?? ''];
    return a === b ? 0 : a < b ? -sign : sign;
  });
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
