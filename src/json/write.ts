import { ExactNumber, type Json } from './exact.ts';

export type WriteOptions = {
  /** Spaces a level; 0 (the default) writes one line. */
  readonly indent?: number;
  /** Turns one string into its JSON form, quotes included. */
  readonly string?: (text: string) => string;
};

/** Writes JSON text with every exact number as it came. Fields that are undefined are left out. */
export function writeJson(
  value: Json,
  { indent = 0, string = JSON.stringify }: WriteOptions = {},
): string {
  return write(value, 1);

  function write(item: Json, depth: number): string {
    if (typeof item === 'string') return string(item);
    if (item instanceof ExactNumber) return item.text;
    if (item === null || typeof item !== 'object') return String(item);
    if (Array.isArray(item)) {
      return wrap(
        '[',
        item.map((element) => write(element, depth + 1)),
        ']',
        depth,
      );
    }
    const colon = indent > 0 ? ': ' : ':';
    const fields = Object.entries(item).flatMap(([name, field]) =>
      field === undefined ? [] : [string(name) + colon + write(field, depth + 1)],
    );
    return wrap('{', fields, '}', depth);
  }

  function wrap(open: string, parts: readonly string[], close: string, depth: number): string {
    if (indent === 0 || parts.length === 0) return open + parts.join(',') + close;
    const inner = `\n${' '.repeat(indent * depth)}`;
    const outer = `\n${' '.repeat(indent * (depth - 1))}`;
    return open + inner + parts.join(`,${inner}`) + outer + close;
  }
}
