import { isJsonObject, type Json, JsonError, type JsonObject, parseJson } from '../../json/json.ts';
import { type Position, positionAfter } from '../../json/position.ts';
import { quoted } from './faults.ts';
import { isRowField, type Rows, rowFields } from './rows.ts';

/** Takes the JSON text of one row, which begins at that position. */
export function takeObject(rows: Rows, text: string, position: Position): void {
  const positionAt = (offset: number) => positionAfter(position, text, 0, offset);
  let value: Json;
  /** Where each field of the row itself has its name. */
  const names = new Map<string, number>();
  let row: JsonObject | undefined;
  try {
    value = parseJson(text, {
      onField(object, name, offset) {
        row ??= object;
        if (object === row) names.set(name, offset);
      },
    });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    rows.addFault(positionAt(error.offset), error.reason);
    return;
  }
  if (!isJsonObject(value)) {
    rows.addFault(position, 'must be an object such as {"name": "rabbit"}');
    return;
  }
  const positionOf = (field: string) => positionAt(names.get(field) ?? 0);
  const unknown = Object.keys(value).find((field) => field !== 'id' && !isRowField(field));
  if (unknown !== undefined) {
    rows.addFault(
      positionOf(unknown),
      `unknown field ${quoted(unknown)}; fields: ${rowFields.join(', ')}`,
    );
    return;
  }
  if (Object.hasOwn(value, 'id')) rows.passOverIds('field');
  rows.add(position, value, positionOf);
}
