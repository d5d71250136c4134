import { contentFields } from '../fields.ts';
import { isJsonObject, type Json, JsonError, JsonReader, parseJson } from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { quoted } from '../text/quote.ts';
import type { Rows } from './rows.ts';
import { type Place, Stop } from './text.ts';

/** A value takes up to a hundred times the memory of its text. */
const maxRowValues = 1_000;

export function readJson(text: string, rows: Rows): void {
  const locate = createLocator(text);
  const reader = new JsonReader(text, maxRowValues);
  if (reader.peek() === '') return;
  if (!reader.accept('[')) {
    throw new Stop(
      locate(reader.offset),
      'expected a JSON array such as [{"name": "dog"}]',
      'Add --format ndjson for one object per line.',
    );
  }
  try {
    if (!reader.accept(']')) {
      do {
        reader.peek();
        const place = locate(reader.offset);
        takeRow(reader.readElement(), place, rows);
      } while (reader.accept(','));
      if (!reader.accept(']')) reader.fail('expected "," or "]"');
    }
    if (reader.peek() !== '') reader.fail('unexpected text after the array');
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Stop(locate(error.offset), error.reason);
  }
}

export function readNdjson(text: string, rows: Rows): void {
  const locate = createLocator(text);
  const first = text.search(/[^ \t\r\n]/);
  if (text[first] === '[') {
    throw new Stop(
      locate(first),
      'expected one JSON object per line, got an array',
      'Add --format json for one JSON array.',
    );
  }
  for (const { 0: line, index } of text.matchAll(/[^ \t\r\n][^\r\n]*/g)) {
    const place = locate(index);
    try {
      takeRow(parseJson(line, maxRowValues), place, rows);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      rows.fault(locate(index + error.offset), error.reason);
    }
  }
}

function takeRow(value: Json, place: Place, rows: Rows): void {
  if (!isJsonObject(value)) {
    rows.fault(place, 'must be an object such as {"name": "rabbit"}');
    return;
  }
  const { id, ...fields } = value;
  const unknown = Object.keys(fields).find(
    (field) => !contentFields.some((known) => known === field),
  );
  if (unknown !== undefined) {
    rows.fault(place, `unknown field ${quoted(unknown)}; fields: ${contentFields.join(', ')}`);
    return;
  }
  if (id !== undefined) rows.ignoreIds();
  rows.add(place, fields);
}
