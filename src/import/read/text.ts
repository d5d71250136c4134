import { positionAfter, startOfText } from '../../json/position.ts';
import { Fault, stopAt } from './faults.ts';

const byteOrderMark = '\ufeff';

/**
 * The text of UTF-8 bytes, part by part, without a byte order mark; no part ends between \r and \n.
 * @throws Fault where it is not UTF-8, or no text, after all text before that position
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Uint8Array = new Uint8Array();
  let offset = 0;
  let position = startOfText;

  for await (const chunk of chunks) {
    held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    if (offset + held.length >= 2) yield* decodeHeld(false);
  }
  yield* decodeHeld(true);

  function* decodeHeld(last: boolean): Generator<string> {
    if (offset === 0 && isUtf16(held)) {
      throw new Fault(position, 'UTF-16 is not supported; save the file as UTF-8');
    }
    const whole = tryDecode(held, last);
    const decoded = whole ?? decodeGoodPart(held);
    const text = !last && decoded.endsWith('\r') ? decoded.slice(0, -1) : decoded;
    const content = offset === 0 && text.startsWith(byteOrderMark) ? text.slice(1) : text;

    const nul = content.indexOf('\0');
    if (nul >= 0) {
      yield content.slice(0, nul);
      throw stopAt(
        positionAfter(position, content, 0, nul),
        'unexpected NUL byte (not a text file)',
      );
    }
    position = positionAfter(position, content);
    const length = Buffer.byteLength(text);
    held = held.subarray(length);
    offset += length;
    if (content) yield content;
    if (whole === undefined) {
      // Windows-1252 is what spreadsheets on Windows save as CSV.
      const hint = 'If it is Windows-1252, save it as UTF-8 (in Excel: CSV UTF-8).';
      throw stopAt(position, `invalid UTF-8 (byte offset ${offset})`, hint);
    }
  }
}

/** Goes by the byte order mark, or by the first character, which is ASCII in all formats that are read. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (first === 0) !== (second === 0);
}

/** The text of whole characters; a character cut short at the end is left out unless `last`. Undefined where it is not UTF-8. */
function tryDecode(bytes: Uint8Array, last: boolean): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: !last });
  } catch {
    return undefined;
  }
}

/** The text before the first byte that is wrong. */
function decodeGoodPart(bytes: Uint8Array): string {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (tryDecode(bytes.subarray(0, middle), false) === undefined) bad = middle;
    else good = middle;
  }
  return tryDecode(bytes.subarray(0, good), false) ?? '';
}
