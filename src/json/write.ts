import { ExactNumber, type Json } from './exact.ts';

export type WriteOptions = {
  /** Spaces a level; 0 (the default) writes one line. */
  readonly indent?: number;
  /** Turns one string into its JSON form, quotes included. */
  readonly string?: (text: string) => string;
};

/** Writes JSON text with every exact number as it came. Fields that are undefined are left out. */
export function writeJson(value: Json, options?: WriteOptions): string {
  return createJsonWriter(options)(value);
}

/** The same for one value after another. */
export function createJsonWriter({
  indent = 0,
  string = JSON.stringify,
}: WriteOptions = {}): (value: Json) => string {
  const colon = indent > 0 ? ': ' : ':';
  /** Records that follow one another have the same names. */
  const names = new Map<string, string>();
  /** Made anew for each line, they would take as much room as the lines. */
  const lineEnds: string[] = [];
  return (value) => write(value, 1);

  function write(item: Json, depth: number): string {
    if (typeof item === 'string') return string(item);
    if (item instanceof ExactNumber) return item.text;
    if (item === null || typeof item !== 'object') return String(item);
    const between = indent > 0 ? `,${lineEnd(depth)}` : ',';
    let parts = '';
    if (Array.isArray(item)) {
      for (const element of item) {
        parts += (parts === '' ? '' : between) + write(element, depth + 1);
      }
      return wrap('[', parts, ']', depth);
    }
    for (const name of Object.keys(item)) {
      const field = item[name];
      if (field === undefined) continue;
      const value = typeof field === 'string' ? string(field) : write(field, depth + 1);
      parts += (parts === '' ? '' : between) + nameOf(name) + value;
    }
    return wrap('{', parts, '}', depth);
  }

  function nameOf(name: string): string {
    const known = names.get(name);
    if (known !== undefined) return known;
    const written = string(name) + colon;
    names.set(name, written);
    return written;
  }

  function wrap(open: string, parts: string, close: string, depth: number): string {
    if (indent === 0 || parts === '') return open + parts + close;
    return open + lineEnd(depth) + parts + lineEnd(depth - 1) + close;
  }

  function lineEnd(depth: number): string {
    lineEnds[depth] ??= `\n${' '.repeat(indent * depth)}`;
    return lineEnds[depth];
  }
}
