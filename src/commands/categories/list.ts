import { type Command, Option } from 'commander';
import { listCategories, wholeList } from '../../api/endpoints.ts';
import type { Category } from '../../api/resources.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import { categoryColumns } from './columns.ts';

type Options = { readonly search?: string; readonly sort?: keyof typeof orders };

const orders = {
  id: (a: Category, b: Category) => compare(BigInt(a.id.text), BigInt(b.id.text)),
  name: (a: Category, b: Category) => compare(a.name, b.name),
  description: (a: Category, b: Category) => compare(a.description ?? '', b.description ?? ''),
};

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore categories list --search dog',
    'petstore categories list --sort name -o ndjson',
    "petstore categories list --json | jq -r '.[].name'",
  ]);
  addColumns(command, categoryColumns);
  command
    .option('--search <text>', 'filter by text in name or description, ignoring case')
    .addOption(new Option('--sort <field>', 'sort by this field').choices(Object.keys(orders)))
    .action(async ({ search, sort }: Options) =>
      inSession(host, command, async ({ connect, output }) => {
        output.checkColumns(categoryColumns);
        const client = await connect();

        const found = (all: Category[]) =>
          search === undefined ? all : all.filter(matches(search));
        const empty =
          search === undefined ? 'No categories yet.' : `No categories match "${search}".`;
        const list = await client.stream(sort ? wholeList : listCategories, {});
        if (Array.isArray(list)) {
          const listed = sort ? found(list).sort(orders[sort]) : found(list);
          return output.records(listed, categoryColumns, empty);
        }
        const pieces = each(list, found);
        const listed = sort ? await sortLong(pieces, orders[sort]) : pieces;
        await output.stream(listed, categoryColumns, { what: 'categories', empty });
      }),
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

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** By code units, so that the order is the same on every machine. */
function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function sortLong(
  pieces: AsyncIterable<readonly Category[]>,
  order: (a: Category, b: Category) => number,
) {
  const { sortLong } = await import('./sort-long.ts').catch(unloadable);
  return sortLong(pieces, order);
}
