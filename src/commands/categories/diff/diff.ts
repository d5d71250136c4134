import { type Command, Option } from 'commander';
import { Exit } from '../../../errors.ts';
import { type InputFormat, inputFormats } from '../../../import/read/input.ts';
import type { App } from '../../../session/app.ts';
import { withSession } from '../../../session/session.ts';
import { addExamples, addNotes } from '../../help.ts';
import { duplicatesInWords, odditiesInWords, say } from '../import/words.ts';
import { readFile } from '../read-file.ts';
import { compare } from './compare.ts';
import { changesOf, countChanges, describe, diffColumns, headOf, totalOf } from './report.ts';

/** What an import of the file would not find as it is there. */
const somethingToImport = 7;

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore categories diff pets.csv || echo "exit code $?"',
    'petstore categories list -o csv | petstore categories diff - --format csv',
  ]);
  addNotes(command, [
    [
      'Lines:',
      [
        ['+ name', 'the service does not have it: an import would create it'],
        ['~ name', 'it exists with a different description: an import leaves it unchanged'],
        ['- name', 'the file does not have it: an import leaves it unchanged'],
      ],
    ],
    'An import with --yes does not create a name that is similar to an existing one (Dog and dog).',
    'Costs one request and changes nothing. Exit code 0: no + and no ~ (there may be -); 7: at least one + or ~.',
  ]);
  command
    .argument('<file>', 'file of categories as for import, or - for standard input')
    .addOption(
      new Option('--format <format>', 'input format (default: by file extension)').choices(
        inputFormats,
      ),
    )
    .action(async (file: string, { format }: { readonly format?: InputFormat }) =>
      withSession(app, command, async (session) => {
        const { output } = session;
        output.checkColumns(diffColumns);
        const input = await readFile(session, file, format);
        const comparison = await compare(session, input.rows);

        const { plan } = comparison;
        say(session, [...duplicatesInWords(plan), ...odditiesInWords(plan, input)]);
        const counts = countChanges(comparison);
        const changes = changesOf(comparison, input);
        await output.print({
          data: changes,
          head: headOf(input, counts),
          columns: diffColumns,
          lines: [...changes.map(describe), totalOf(counts)],
        });
        if (counts.create + counts.similar + counts.differs > 0) throw new Exit(somethingToImport);
      }),
    );
}
