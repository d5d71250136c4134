import { contentFields, findColumn } from '../fields.ts';
import {
  isJsonObject,
  type Json,
  JsonError,
  type JsonObject,
  JsonReader,
  parseJson,
} from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { dropNulls } from '../service/resources.ts';
import { quoted, quoteSome } from '../text/quote.ts';
import { commandOn, quoteForShell } from '../text/shell.ts';
import type { Rows } from './rows.ts';
import { type Place, Stop } from './text.ts';

/** A value takes up to a hundred times the memory of its text. */
const maxRowValues = 1_000;

/** A filter of jq for one object. */
const onlyContent = `with_entries(select(.key|test("^(${contentFields.join('|')})$";"i")))`;
const fieldsHint = 'Leave out all other fields.';

export async function readJson(text: string, rows: Rows): Promise<void> {
  const locate = createLocator(text);
  const reader = new JsonReader(text, maxRowValues);
  if (!reader.accept('[')) {
    const hint = 'Write an array, or add --format ndjson for one object per line.';
    throw new Stop(locate(reader.offset), 'expected a JSON array such as [{"name": "dog"}]', hint);
  }
  const hint = withJq(fieldsHint, quoteForShell(`map(${onlyContent})`), rows);
  try {
    if (!reader.accept(']')) {
      do {
        await rows.pauseAtTimes();
        reader.peek();
        const place = locate(reader.offset);
        takeRow(reader.readElement(), place, rows, hint);
      } while (reader.accept(','));
      if (!reader.accept(']')) reader.fail('expected "," or "]"');
    }
    if (reader.peek() !== '') reader.fail('unexpected text after the array');
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Stop(locate(error.offset), error.reason);
  }
}

/** Adds the command that does to a file what a sentence says. Of standard input there is none. */
function withJq(sentence: string, filter: string, { file }: Rows): string {
  if (file === undefined) return sentence;
  const copy = quoteForShell(file.replace(/(\.\w+)?$/, '-new$1'));
  return `${sentence} Run: ${commandOn(`jq ${filter}`, file)} > ${copy}`;
}

export async function readNdjson(text: string, rows: Rows): Promise<void> {
  const locate = createLocator(text);
  const first = text.search(/[^ \t\r\n]/);
  if (text[first] === '[') {
    throw new Stop(
      locate(first),
      'expected one JSON object per line, got an array',
      'Add --format json for one JSON array.',
    );
  }
  const hint = withJq(fieldsHint, `-c ${quoteForShell(onlyContent)}`, rows);
  for (const { 0: line, index } of text.matchAll(/[^ \t\r\n][^\r\n]*/g)) {
    await rows.pauseAtTimes();
    const place = locate(index);
    try {
      takeRow(parseJson(line, maxRowValues), place, rows, hint);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      rows.fault(locate(index + error.offset), error.reason, 'Each line must be one object.');
    }
  }
}

function takeRow(value: Json, place: Place, rows: Rows, hint: string): void {
  if (!isJsonObject(value)) {
    rows.fault(place, 'must be an object such as {"name": "rabbit"}');
    return;
  }
  const fields: JsonObject = {};
  const unknown: string[] = [];
  let repeated: string | undefined;
  for (const [field, content] of Object.entries(value)) {
    const column = findColumn(field);
    if (column === undefined) unknown.push(field);
    else if (column in fields) repeated = column;
    else fields[column] = content;
  }
  if (unknown.length > 0) {
    const what = unknown.length === 1 ? 'unknown field' : 'unknown fields';
    const reason = `${what} ${quoteSome(unknown)}; fields: ${contentFields.join(', ')}`;
    // jq would leave nothing of a row without a name.
    rows.fault(place, reason, 'name' in fields ? hint : 'Rename or leave out all other fields.');
  } else if (repeated) {
    rows.fault(place, `duplicate field ${quoted(repeated)}`);
  } else {
    const { id, ...content } = fields;
    dropNulls(content);
    if (id !== undefined) rows.ignoreIds();
    rows.add(place, content);
  }
}
