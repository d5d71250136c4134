import type { Element } from '../../json/elements.ts';
import { isJsonObject, type Json } from '../../json/exact.ts';
import { JsonError, parseJson } from '../../json/parse.ts';
import { positionAfter } from '../../json/position.ts';
import { quoted } from './faults.ts';
import { type RowField, type Rows, rowFields } from './rows.ts';

/** Takes the JSON text of one row. */
export function takeObject(rows: Rows, { text, position }: Element): void {
  const positionAt = (offset: number) => positionAfter(position, text, 0, offset);
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    rows.addFault(positionAt(error.offset), error.reason);
    return;
  }
  if (!isJsonObject(value)) {
    rows.addFault(position, 'not an object like {"name": "rabbit"}');
    return;
  }
  const unknown = Object.keys(value).find((field) => field !== 'id' && !isRowField(field));
  if (unknown !== undefined) {
    rows.addFault(positionAt(keyOffset(text, unknown)), `unknown field ${quoted(unknown)}`);
    return;
  }
  if (Object.hasOwn(value, 'id')) rows.passOverIds('field');
  rows.add(position, value, (field) => positionAt(keyOffset(text, field)));
}

function isRowField(field: string): field is RowField {
  return (rowFields as readonly string[]).includes(field);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g;

/** Where an object, which is known to be right JSON, has a field of its own; 0 when it has none of that name. */
function keyOffset(object: string, field: string): number {
  let depth = 0;
  let previous = '';
  for (const { 0: token, index } of object.matchAll(tokens)) {
    const isKey = depth === 1 && previous !== ':' && token.startsWith('"');
    if (isKey && JSON.parse(token) === field) return index;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    previous = token;
  }
  return 0;
}
