let known = new Map<string, number>();
let measure = (text: string) => text.length;

/** From here on cells are as wide as `widthOf` says. */
export function measureBy(widthOf: (text: string) => number): void {
  measure = widthOf;
  known = new Map();
}

/** What cli-table3 measures with in place of string-width (rolldown.config.mjs): columns of a text, which it asks for several times. */
export function cellWidth(text: string): number {
  if (/^[ -~…]*$/.test(text)) return text.length;
  const width = known.get(text) ?? measure(text);
  known.set(text, width);
  return width;
}
