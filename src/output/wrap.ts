import { widthOf } from './layout.ts';

/** A longer text is left to the terminal, in characters: to measure a megabyte takes minutes. */
const longest = 4_000;

/** A command that a text ends with, or names: in one piece it can be copied, wherever the terminal breaks it. */
const commands =
  '(?<=^|: )(?:petstore|rm|chmod|sudo|ulimit|export|npm|npx|Remove-Item|Move-Item|\\$env:[A-Z_]+ =) [^;(]*[^;( ]';
const words = new RegExp(`( *)(${commands}|[^ ]+)`, 'g');

/**
 * Breaks a text between words, so that no line is wider than the terminal; each line after the first is indented by so many
 * cells. Only a command or a word that is wider than the terminal by itself is left to the terminal.
 * @param begin what the first line begins with
 */
export function wrapWords(text: string, width: number, indent: number, begin = ''): string {
  if (text.length > longest) return begin + text;
  const lines: string[] = [];
  let line = begin;
  let isBlank = true;
  for (const [, gap = '', word = ''] of text.matchAll(words)) {
    const longer = line + gap + word;
    if (isBlank || widthOf(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = ' '.repeat(indent) + word;
    }
    isBlank = false;
  }
  return [...lines, line].join('\n');
}
