import type { Clean } from './clean.ts';
import { type Items, mapPieces } from './items.ts';
import { arePieces, type Printer } from './results.ts';
import type { Outlet } from './sink.ts';

/** Cuts secrets out of all data before the printer lays it out: what it gets is laid out and printed as it is. */
export function hideSecrets(printer: Printer, { clean, cleanOurs }: Outlet): Printer {
  return {
    load: printer.load,
    preload: printer.preload,
    checkColumns: printer.checkColumns,
    records: (records, columns, empty) => printer.records(clean(records), columns, empty),
    stream: (pieces, columns, words) => printer.stream(cleanPieces(clean, pieces), columns, words),
    record: (record, columns) => printer.record(clean(record), columns),
    anything: (data, empty) =>
      printer.anything(arePieces(data) ? cleanPieces(clean, data) : clean(data), empty),
    bare: (text, record) => printer.bare(cleanOurs(text), cleanOurs(record)),
    exports: (variables) => printer.exports(cleanOurs(variables)),
    overview: (data, rows, columns) => printer.overview(cleanOurs(data), cleanOurs(rows), columns),
    report: (head, summary, items) =>
      printer.report(cleanOurs(head), cleanOurs(summary), cleanItems(items)),
    differences: (head, items, describe, total) =>
      printer.differences(cleanOurs(head), cleanItems(items), describe, total),
  };

  function cleanItems(items: Items): Items {
    return { ...items, item: (index) => cleanOurs(items.item(index)) };
  }
}

/** They can be had as often as the pieces can. */
function cleanPieces<Piece>(
  clean: Clean,
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
): AsyncIterable<Piece> {
  return {
    [Symbol.asyncIterator]: () => mapPieces(pieces, clean<Piece>),
  };
}
