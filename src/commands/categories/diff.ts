import { Exit } from '../../errors.ts';
import { optionalFields, pickContent } from '../../fields.ts';
import { findByFate } from '../../import/fates.ts';
import { previewImport } from '../../import/import-rows.ts';
import { type InputFormat, inputFormats, readInput } from '../../import/input.ts';
import type { JsonObject } from '../../json/json.ts';
import type { Category } from '../../service/resources.ts';
import type { Session } from '../../session/session.ts';
import type { Verb } from '../verb.ts';
import { openLedger } from './open-import.ts';

type Options = { readonly format?: InputFormat };

const columns = [
  ...['change', 'line', 'name', 'id', 'looksLike'],
  ...optionalFields.flatMap((field) => [field, serviceColumn(field)]),
];

const somethingToImport = 7;

export const diff: Verb = {
  takes: [['<file>', 'file of categories as for import, or - for standard input']],
  options: [['--format <format>', 'input format (default: by file extension)', inputFormats]],
  examples: [
    'petstore categories diff pets.csv || echo "exit code $?"',
    'petstore categories list -o csv | petstore categories diff - --format csv',
  ],
  notes: [
    [
      'Changes:',
      [
        ['create', 'the service does not have the name: an import would create it'],
        [
          'similar',
          'the service or an earlier row has a similar name (Dog and dog): an import refuses the row',
        ],
        ['differs', 'it exists with a different description: an import leaves it unchanged'],
        ['only_in_service', 'the file does not have it: an import leaves it unchanged'],
      ],
    ],
    'The columns are change, line, name, id, looksLike (the similar name), description and serviceDescription. Costs one request and changes nothing. Exit code 7: an import would create or refuse something; 0: it would not, whatever differs.',
  ],
  run: printDiff,
};

async function printDiff(session: Session, file: string, { format }: Options): Promise<void> {
  session.output.checkColumns(columns);
  const { items } = await readInput(session, file, format);
  const client = await session.client();
  const ledger = await openLedger(session);
  const list = await previewImport({ client, report: session.report, items, ledger });
  const listed = new Map(list.map((category) => [String(category.id), category]));
  const inFile = findByFate(items, 'create', 'differs', 'similar').map((item) => {
    const { fate: change, line, lookAlike: looksLike } = item;
    const existing = listed.get(item.id ?? '');
    return {
      ...{ change, line, id: existing?.id, looksLike, ...pickContent(item) },
      ...serviceFields(existing),
    };
  });
  const names = new Set(items.map(({ name }) => name));
  const found = new Set(items.map(({ id }) => id));
  const onlyInService = list
    .filter(({ id, name }) => !names.has(name) && !found.has(String(id)))
    .map((category) => {
      const { id, name } = category;
      return { change: 'only_in_service', name, id, ...serviceFields(category) };
    });
  const changes = [...inFile, ...onlyInService];
  await session.output.print({ list: changes, columns, empty: 'No differences.' });
  if (findByFate(items, 'create', 'similar').length > 0) throw new Exit(somethingToImport);
}

function serviceFields(category: Category | undefined): JsonObject {
  const fields = optionalFields.map((field) => [serviceColumn(field), category?.[field]]);
  return Object.fromEntries(fields);
}

function serviceColumn(field: string): string {
  return `service${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;
}
