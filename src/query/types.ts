import { ExactNumber, type Json } from '../json/exact.ts';

/** What an argument must be: one of these types. An expression is evaluated by the function, once for each element. */
export type Type =
  | 'any'
  | 'number'
  | 'string'
  | 'array'
  | 'object'
  | 'array of numbers'
  | 'array of strings'
  | 'expression';

/** What JMESPath calls the type of a value. */
export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'number';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** Whether a value is of that type. */
export function isA(type: Type, value: Json): boolean {
  if (type === 'any') return true;
  if (type === 'array of numbers' || type === 'array of strings') {
    const of = type === 'array of numbers' ? 'number' : 'string';
    return Array.isArray(value) && value.every((item) => typeOf(item) === of);
  }
  return typeOf(value) === type;
}

/** What was given in place of one of these types: its type, or those of its elements that are in the way. */
export function described(types: readonly Type[], value: Json): string {
  const isOfElements = types.every((type) => type.startsWith('array of'));
  if (!(isOfElements && Array.isArray(value))) return withArticle(typeOf(value));
  const found = [...new Set(value.map(typeOf))];
  const wrong =
    types.length > 1 && found.length > 1
      ? found
      : found.filter((type) => !types.some((one) => one === `array of ${type}s`));
  return `an array with ${wrong.map(withArticle).join(' and ')}`;
}

/** "a number" */
export function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aeo]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** "a string, an array or an object" */
export function listOf(types: readonly Type[]): string {
  const named = types.map(withArticle);
  const last = named.pop() ?? '';
  return named.length > 0 ? `${named.join(', ')} or ${last}` : last;
}
