import { isJsonObject, type Json } from '../json/json.ts';
import { cutOut } from '../text/secret.ts';

/** A value with these forms of the key cut out of its texts: what a write answers is also written down. */
export function withoutKey(value: Json, forms: readonly string[]): Json {
  if (typeof value === 'string') return cutOut(value, forms);
  if (Array.isArray(value)) return value.map((item) => withoutKey(item, forms));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field = null]) => [
    name,
    withoutKey(field, forms),
  ]);
  return Object.fromEntries(fields);
}
