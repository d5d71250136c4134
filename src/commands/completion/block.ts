import { configFailure } from '../../errors.ts';

const begin = '# >>> petstore completion >>>';
const end = '# <<< petstore completion <<<';
const note =
  '# Added by `petstore completion install`; `petstore completion uninstall` removes it.';

/** The text of a file with these lines in a marked block, which replaces an earlier one. @throws as find */
export function withBlock(text: string, lines: string, file: string): string {
  const block = `${[begin, note, lines, end].join('\n')}\n`;
  const found = find(text, file);
  if (found) return text.slice(0, found.from) + block + text.slice(found.to);
  // The line break in front belongs to the block, so that the text comes back as it was, whether or not its last line ended.
  return text === '' ? block : `${text}\n${block}`;
}

/** The text without the block, which may have none. @throws as find */
export function withoutBlock(text: string, file: string): string {
  const found = find(text, file);
  if (!found) return text;
  const before = text.slice(0, found.from);
  const after = text.slice(found.to);
  // What was added after the block must not end up in the line before it.
  const isOurBreak = before.endsWith('\n') && (after === '' || before.endsWith('\n\n'));
  return (isOurBreak ? before.slice(0, -1) : before) + after;
}

/** Where the block is. @throws Failure (config) when its end is missing: what follows may be anything */
function find(
  text: string,
  file: string,
): { readonly from: number; readonly to: number } | undefined {
  const from = new RegExp(`^${begin}$`, 'm').exec(text)?.index;
  if (from === undefined) return undefined;
  const length = new RegExp(`^${end}(\n|$)`, 'm').exec(text.slice(from));
  if (!length) {
    throw configFailure(
      `incomplete block in ${file}: "${begin}" without "${end}"`,
      'Remove the block by hand, then run the same command again.',
    );
  }
  return { from, to: from + length.index + length[0].length };
}
