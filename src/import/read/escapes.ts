/** The character that the hexadecimal digits of an escape `\u{...}` name; the escape as it was `found` where they name none. */
export function characterOf(digits: string, found: string): string {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : found;
}
