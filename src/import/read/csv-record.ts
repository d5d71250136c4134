import { type Position, positionAfter } from '../../json/position.ts';

/** A record as it is written, without its line end. */
export type WrittenRecord = {
  readonly text: string;
  readonly position: Position;
  /** Only CSV has quotes. */
  readonly separator: ',' | '\t';
};

/**
 * The record in what the parser took in since the start of `line`: the record, the empty lines before it and the
 * line end behind it, where each line end, \r\n too, stands as one character.
 */
export function findRecord(raw: string, line: number): WrittenRecord {
  const text = raw.replace(/^[\r\n]+/, '');
  const emptyLines = raw.length - text.length;
  const position = { line: line + emptyLines, column: 1 };
  return { text: text.replace(/[\r\n]$/, ''), position, separator: ',' };
}

/** Where each field begins, quote included. */
export function* fieldStarts({ text, separator }: WrittenRecord): Generator<number> {
  for (let at = 0; ; at += 1) {
    yield at;
    const end = separator === ',' && text[at] === '"' ? closingQuote(text, at) : at;
    at = end < 0 ? -1 : text.indexOf(separator, end);
    if (at < 0) return;
  }
}

function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0 || text[at + 1] !== '"') return at;
  }
}

/** Where a field, counted from 0, begins. */
export function fieldStart(record: WrittenRecord, index: number): number {
  let count = 0;
  for (const start of fieldStarts(record)) {
    if (count === index) return start;
    count += 1;
  }
  return 0;
}

/** The position of a field, counted from 0. */
export function positionOfField(record: WrittenRecord, index: number): Position {
  return positionAfter(record.position, record.text, 0, fieldStart(record, index));
}
