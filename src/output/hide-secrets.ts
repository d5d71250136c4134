import type { JsonObject } from '../json/exact.ts';
import type { Clean } from './clean.ts';
import type { Printer } from './printer.ts';
import type { Outlet } from './sink.ts';
import type { Pieces } from './stream.ts';

/** A printer for data of others, and the same for what petstore itself has to tell. */
export type Output = Printer & { readonly ours: Printer };

/** Cuts secrets out of all data before the printer lays it out: what it gets is laid out and printed as it is. */
export function hideSecrets(printer: Printer, { clean, cleanOurs, redactMixed }: Outlet): Output {
  return { ...hiding(clean), ours: hiding(cleanOurs) };

  function hiding(clean: Clean): Printer {
    return {
      load: printer.load,
      checkColumns: printer.checkColumns,
      records: (records, columns) => printer.records(clean(records), columns),
      stream: (pieces, columns, what) => printer.stream(cleanPieces(clean, pieces), columns, what),
      record: (record, columns) => printer.record(clean(record), columns),
      anything: (data) => printer.anything(clean(data)),
      bare: (text, record) => printer.bare(redactMixed(text), cleanOurs(record)),
      exports: (variables) => printer.exports(cleanOurs(variables)),
      overview: (data, rows, columns) =>
        printer.overview(cleanOurs(data), cleanOurs(rows), columns),
      report: (head, summary, items) =>
        printer.report(cleanOurs(head), cleanOurs(summary), {
          ...items,
          item: (index) => cleanOurs(items.item(index)),
        }),
    };
  }
}

async function* cleanPieces(clean: Clean, pieces: Pieces): AsyncGenerator<readonly JsonObject[]> {
  for await (const records of pieces) yield clean(records);
}
