import { ExactNumber, type Json } from '../json/exact.ts';
import { escapeLookalikes } from './safe-text.ts';
import type { Line, Sink } from './sink.ts';

/** Values for a shell: a text without quotes, an element of a list on a line, an object or a list in it as JSON. */
export function rawLines(data: Json, sink: Sink): Line[] {
  return (Array.isArray(data) ? data : [data]).map((value) => rawLine(value, sink));
}

function rawLine(value: Json, sink: Sink): string {
  // A line end is escaped too, so that no text looks like two.
  if (typeof value === 'string') return escapeLookalikes(value).replaceAll('\n', '\\u{a}');
  if (value instanceof ExactNumber) return value.text;
  return value === null ? '' : sink.json(value);
}
