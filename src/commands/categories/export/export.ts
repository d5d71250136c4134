import type { Command } from 'commander';
import { listCategories } from '../../../api/endpoints.ts';
import { usageFailure } from '../../../errors.ts';
import { type FileFormat, fileFormats, formatOfFile } from '../../../formats.ts';
import { mapPieces } from '../../../output/items.ts';
import type { Printer } from '../../../output/results.ts';
import type { Host } from '../../../session/host.ts';
import type { CommonOptions } from '../../../session/options.ts';
import { inSession, type Session } from '../../../session/session.ts';
import { addColumns } from '../../columns.ts';
import { addExamples } from '../../examples.ts';
import { addNotes } from '../../notes.ts';
import { categoryColumns } from '../columns.ts';

type Options = { readonly force?: boolean };

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore categories export backup.csv',
    'petstore categories export backup.yaml --force',
    'petstore categories export -o ndjson > backup.ndjson',
  ]);
  addNotes(command, [
    'Costs one request. The format is set by the file extension (.csv, .tsv, .json, .ndjson, .jsonl, .yaml, .yml). With any other, -o names it; on standard output it is CSV by default.',
    'The file is written completely or not at all, and petstore categories import reads it back.',
  ]);
  addColumns(command, categoryColumns);
  command
    .argument('[file]', 'file to create; standard output if omitted or -')
    .option('--force', 'replace the file if it already exists')
    .action(async (given: string | undefined, { force = false }: Options) =>
      inSession(host, command, async (session) => {
        session.output.checkColumns(categoryColumns);
        const file = given === '-' ? undefined : given;
        const format = formatFor(file, session.options);
        if (file === undefined) {
          await printList(session, session.outputAs({ format, columns: categoryColumns }));
          return;
        }
        const { exportTo } = await import('./to-file.ts');
        await exportTo(session, { file, format, force }, (sink) =>
          printList(session, session.outputAs({ format, columns: categoryColumns, sink })),
        );
      }),
    );
}

/**
 * What the extension or -o says; other settings are about what is printed.
 * @param file undefined for standard output
 * @throws Failure (usage)
 */
function formatFor(file: string | undefined, { output, json }: CommonOptions): FileFormat {
  const asked = json ? 'json' : output;
  const named = file === undefined ? 'csv' : formatOfFile(file);
  if (asked === undefined) {
    if (named) return named;
    throw usageFailure(`the format of ${file} is unknown`, `Add -o ${fileFormats.join('|')}.`);
  }
  const format = fileFormats.find((format) => format === asked);
  if (!format) {
    throw usageFailure(
      `invalid output format "${asked}" for an export`,
      `One of: ${fileFormats.join(', ')}`,
    );
  }
  // An import goes by the extension: a backup should not turn out to be unreadable on the day it is needed.
  if (file !== undefined && named && named !== format) {
    throw usageFailure(
      `output format ${format} does not match the extension of ${file}`,
      `Remove ${json ? '--json' : '-o'} to write ${named}, or change the extension.`,
    );
  }
  return format;
}

/** Prints all categories as they come, and returns how many there are. */
async function printList({ connect }: Session, output: Printer): Promise<number> {
  const client = await connect();
  const list = await client.stream(listCategories, {});
  if (Array.isArray(list)) {
    await output.records(list, categoryColumns);
    return list.length;
  }
  let count = 0;
  const pieces = mapPieces(list, (piece) => {
    count += piece.length;
    return piece;
  });
  await output.stream(pieces, categoryColumns, {});
  return count;
}
