import { Exit } from '../../errors.ts';
import { anyOptionalField } from '../../fields.ts';
import { type InputFormat, inputFormats, readInput } from '../../import/input.ts';
import type { Session } from '../../session/session.ts';
import type { Verb } from '../verb.ts';
import { rowFates } from './import-report.ts';
import { preview, previewColumns, serviceFields } from './preview.ts';

type Options = { readonly format?: InputFormat };

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
          'the service or an earlier row has a similar name, in looksLike (Dog and dog): an import refuses the row',
        ],
        [
          'differs',
          `it exists with a different ${anyOptionalField}: an import leaves it unchanged`,
        ],
        ['only_in_service', 'the file does not have it: an import leaves it unchanged'],
        ['existing, repeated', 'nothing to do: only import --dry-run prints these'],
      ],
    ],
    `The columns are ${previewColumns.join(', ')}. Costs one request and changes nothing. Exit code 7: an import would create or refuse something; 0: it would not, whatever differs.`,
  ],
  run: printDiff,
};

async function printDiff(session: Session, file: string, { format }: Options): Promise<void> {
  session.output.checkColumns(previewColumns);
  const { items } = await readInput(session, file, format);
  const { rows, list } = await preview(session, items);
  const differences = rows.filter(({ change }) => change !== 'existing' && change !== 'repeated');
  const names = new Set(items.map(({ name }) => name));
  const found = new Set(items.map(({ id }) => id));
  const onlyInService = list
    .filter(({ id, name }) => !names.has(name) && !found.has(String(id)))
    .map((category) => {
      const { id, name } = category;
      return { change: 'only_in_service', name, id, ...serviceFields(category) };
    });
  await session.output.print({
    list: [differences, onlyInService],
    columns: previewColumns,
    empty: 'No differences.',
  });
  const open = items.find(({ fate }) => rowFates[fate].exitCode > 0);
  if (open) throw new Exit(rowFates[open.fate].exitCode);
}
