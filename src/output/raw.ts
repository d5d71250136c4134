import { ExactNumber, type Json } from '../json/exact.ts';
import type { Line, Sink } from './sink.ts';

/** Values for a shell: a text without quotes, an element of a list on a line, an object or a list in it as JSON. */
export function rawLines(data: Json, sink: Sink): Line[] {
  return (Array.isArray(data) ? data : [data]).map((value) => rawLine(value, sink));
}

function rawLine(value: Json, sink: Sink): string {
  if (typeof value === 'string') return rawText(value);
  if (value instanceof ExactNumber) return value.text;
  return value === null ? '' : sink.json(value);
}

/**
 * What acts or hides leaves the sink as `\u{1b}`. A line end does too, so that no text looks like two; and the backslash of such
 * letters in the text itself is `\u{5c}`, so that no two texts look alike.
 */
function rawText(text: string): string {
  return text.replace(/\\(?=u\{[0-9a-f]{1,6}\})/g, '\\u{5c}').replaceAll('\n', '\\u{a}');
}
