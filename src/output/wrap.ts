import { widthOf } from './layout.ts';

/** A longer message is left to the terminal, in characters: to measure a megabyte takes minutes. */
const longest = 4_000;

/** A command that a message ends with, or names: in one piece it can be copied, wherever the terminal breaks it. */
const command = /(?<=^|: )(?:petstore|rm|chmod|sudo|ulimit|export|npm|npx) [^;(]*[^;( ]|\S+/g;

/**
 * Breaks a message between words, so that no line is wider than the terminal; each line after the first is indented. Only a
 * command or a word that is wider than the terminal by itself is left to the terminal.
 */
export function wrapMessage(text: string, width: number): string {
  if (text.length > longest) return text;
  const indent = '  ';
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  let isBlank = true;
  for (const [word] of text.matchAll(command)) {
    const longer = isBlank ? line + word : `${line} ${word}`;
    if (isBlank || widthOf(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = indent + word;
    }
    isBlank = false;
  }
  return [...lines, line].join('\n');
}
