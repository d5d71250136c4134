import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { compareDecimals, compareNumbers, type Decimal } from './numbers.ts';
import type { Work } from './work.ts';

/** The fields of an object that are there. */
export function fieldsOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).filter((field): field is [string, Json] => field[1] !== undefined);
}

/** As JMESPath has it: nothing, an empty text, list or object, and `false` do not hold; a 0 does. */
export function holds(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.values(value).some((field) => field !== undefined);
  return value !== null && value !== false && value !== '';
}

/** Whether two values are the same, numbers by what they mean: 1 and 1.0 are. */
export function areEqual(a: Json, b: Json, work: Work): boolean {
  work.spend(1);
  if (a === b) return true;
  if (a instanceof ExactNumber) return b instanceof ExactNumber && compareNumbers(a, b) === 0;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => areEqual(item, b[at] ?? null, work));
  }
  if (!(isJsonObject(a) && isJsonObject(b))) return false;
  const fields = fieldsOf(a);
  if (fields.length !== fieldsOf(b).length) return false;
  return fields.every(([name, value]) => {
    const other = Object.hasOwn(b, name) ? b[name] : undefined;
    return other !== undefined && areEqual(value, other, work);
  });
}

/** What is sorted by: a text or a number. */
export type Key = string | Decimal;

/** Two keys of one kind in their order: texts by code points. */
export function compareKeys(a: Key, b: Key): number {
  if (typeof a !== 'string' || typeof b !== 'string')
    return compareDecimals(a as Decimal, b as Decimal);
  if (a === b) return 0;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  // Halves of a pair come before U+E000 as units, and after U+FFFF as code points.
  const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)].map((unit) =>
    unit >= 0xd800 ? (unit < 0xe000 ? unit + 0x2000 : unit - 0x800) : unit,
  ) as [number, number];
  return Number.isNaN(one) || one < other ? -1 : 1;
}
