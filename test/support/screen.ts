import headless from '@xterm/headless';

/** How a terminal draws what others draw as one: `joined` gives each emoji one cell, `apart` two, and joins none. */
export const drawings = ['joined', 'apart'] as const;
type Drawing = (typeof drawings)[number];

/** A title that tells `screenOf` how wide the terminal is from here on. */
export const widthMark = (columns: number) => `\u001b]2;${columns}\u0007`;

/** Does what the bytes say, as a terminal of that many columns does, and returns the lines that are left, without the empty ones. */
export async function screenOf(
  bytes: string,
  columns: number,
  drawing: Drawing = 'joined',
): Promise<string[]> {
  const rows = 50;
  const options = { convertEol: true, allowProposedApi: true, scrollback: bytes.length };
  const terminal = new headless.Terminal({ cols: columns, rows, ...options });
  if (drawing === 'apart') drawApart(terminal);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark
  for (const [n, part] of bytes.split(/\x1b\]2;(\d+)\x07/).entries()) {
    if (n % 2 === 1) terminal.resize(Number(part), rows);
    else await new Promise<void>((written) => terminal.write(part, written));
  }
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row));
  const shown = lines.map((line) => line?.translateToString(true) ?? '').filter(Boolean);
  terminal.dispose();
  return shown;
}

/** Gives each character the cells that it has alone: what a terminal does that knows emoji and no clusters. */
function drawApart(terminal: headless.Terminal): void {
  const none = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
  const two =
    /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uff01-\uff60]/u;
  const flagLetter = /\p{Regional_Indicator}/u;
  const wcwidth = (code: number) => {
    const character = String.fromCodePoint(code);
    if (none.test(character)) return 0;
    return two.test(character) && !flagLetter.test(character) ? 2 : 1;
  };
  // As the terminal packs it: bit 0 joins a mark to the character before it, whose width stands in bits 1 and 2.
  const charProperties = (code: number, before: number) =>
    wcwidth(code) === 0 && before !== 0 ? (before & 6) | 1 : wcwidth(code) << 1;
  terminal.unicode.register({ version: 'apart', wcwidth, charProperties });
  terminal.unicode.activeVersion = 'apart';
}
