import { contentFields } from '../fields.ts';
import { isJsonObject, type Json, JsonError, JsonReader, parseJson } from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { dropNulls } from '../service/resources.ts';
import { quoteSome } from '../text/quote.ts';
import { quoteForShell } from '../text/shell.ts';
import type { Rows } from './rows.ts';
import { type Place, Stop } from './text.ts';

/** A value takes up to a hundred times the memory of its text. */
const maxRowValues = 1_000;
const maxWholeValues = 1_000_000;
/** Ctrl-C is noticed after so many rows. */
const pauseRows = 1_000;

const linesHint = 'Add --format ndjson for one object per line, or make it an array with jq -s .';
const content = `{${contentFields.join()}}`;
const oneLineHint = 'Each line must be one object. Write them so with jq -c .';

export async function readJson(
  text: string,
  rows: Rows,
  pause: () => Promise<void>,
): Promise<void> {
  const locate = createLocator(text);
  const reader = new JsonReader(text, maxRowValues);
  if (!reader.accept('[')) {
    const reason = 'expected a JSON array such as [{"name": "dog"}]';
    const hint = reader.peek() === '{' ? (wayToArray(text) ?? linesHint) : undefined;
    throw new Stop(locate(reader.offset), reason, hint);
  }
  try {
    if (!reader.accept(']')) {
      let count = 0;
      do {
        if (count % pauseRows === 0) await pause();
        count += 1;
        reader.peek();
        const place = locate(reader.offset);
        takeRow(reader.readElement(), place, rows, `jq 'map(${content})'`);
      } while (reader.accept(','));
      if (!reader.accept(']')) reader.fail('expected "," or "]"');
    }
    if (reader.peek() !== '') reader.fail('unexpected text after the array');
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Stop(locate(error.offset), error.reason);
  }
}

/** Says how to take the rows out of an object that has them inside, as answers of other services do. */
function wayToArray(text: string): string | undefined {
  try {
    const path = findRows(parseJson(text, maxWholeValues));
    return path && `The array is in ${path.slice(1)}. Take it out with jq ${quoteForShell(path)}.`;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function findRows(value: Json | undefined): string | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isJsonObject) ? '' : undefined;
  if (!isJsonObject(value) || 'name' in value) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = findRows(member);
    const step = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    if (path !== undefined) return `.${step}${path}`;
  }
  return undefined;
}

export async function readNdjson(
  text: string,
  rows: Rows,
  pause: () => Promise<void>,
): Promise<void> {
  const locate = createLocator(text);
  const first = text.search(/[^ \t\r\n]/);
  if (text[first] === '[') {
    throw new Stop(
      locate(first),
      'expected one JSON object per line, got an array',
      'Add --format json for one JSON array.',
    );
  }
  let count = 0;
  for (const { 0: line, index } of text.matchAll(/[^ \t\r\n][^\r\n]*/g)) {
    if (count % pauseRows === 0) await pause();
    count += 1;
    const place = locate(index);
    try {
      takeRow(parseJson(line, maxRowValues), place, rows, `jq -c '${content}'`);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      rows.fault(locate(index + error.offset), error.reason, oneLineHint);
    }
  }
}

function takeRow(value: Json, place: Place, rows: Rows, jq: string): void {
  if (!isJsonObject(value)) {
    rows.fault(place, 'must be an object such as {"name": "rabbit"}');
    return;
  }
  const { id, ...fields } = value;
  const known: readonly string[] = contentFields;
  const unknown = Object.keys(fields).filter((field) => !known.includes(field));
  if (unknown.length > 0) {
    const what = unknown.length === 1 ? 'unknown field' : 'unknown fields';
    const reason = `${what} ${quoteSome(unknown)}; fields: ${known.join(', ')}`;
    rows.fault(place, reason, `Leave out all other fields. Run: ${jq}`);
    return;
  }
  dropNulls(fields);
  if (id !== undefined) rows.ignoreIds();
  rows.add(place, fields);
}
