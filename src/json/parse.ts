import type { Json } from './exact.ts';
import { createReader, JsonError, JsonLimitError, mostValues, type OnField } from './reader.ts';

export { JsonError, JsonLimitError, mostValues };

/**
 * Parses one JSON text (RFC 8259) with every number exact.
 * Stricter than JSON.parse where parsers disagree: a field given twice, or nesting beyond 32, is refused.
 * @param maxValues most values in it; as many as there are when undefined
 * @throws JsonError
 */
export function parseJson(text: string, onField?: OnField, maxValues?: number): Json {
  const reader = createReader(text, onField, maxValues);
  const value = reader.value(0);
  if (!Number.isNaN(reader.peek())) {
    throw new JsonError('something follows the JSON value', reader.offset());
  }
  return value;
}
