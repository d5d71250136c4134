import { isAscii } from 'node:buffer';

/**
 * Decodes UTF-8 part by part, and without a part what is left; a mark at its beginning (BOM) is no part of the text.
 * @throws TypeError for bytes that are not UTF-8
 */
export function createDecoder(): (part?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let hasBegun = false;
  /** Whether the decoder may hold the beginning of a character. */
  let isBetween = false;

  return (part) => {
    const text = decode(part);
    if (hasBegun || text === '') return text;
    hasBegun = true;
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  };

  function decode(part?: Uint8Array): string {
    if (part === undefined) return decoder.decode();
    // The decoder takes longer, and its text has two bytes a character, which makes all that follows slow.
    if (!isBetween && isAscii(part))
      return Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1');
    isBetween = (part.at(-1) ?? 0) >= 0x80;
    return decoder.decode(part, { stream: true });
  }
}
