import headless from '@xterm/headless';

/** What a terminal shows of bytes that were written to it, and whether they did more than to be read. */
export type Screen = {
  /** One string a line of the screen, without the blanks behind; a line that was broken counts as two. */
  readonly rows: readonly string[];
  /** Everything that text has no business to do: each in words. */
  readonly sideEffects: readonly string[];
};

/** How a terminal draws what others draw as one: `joined` gives each emoji one cell, `apart` two, and joins none. */
export const drawings = ['joined', 'apart'] as const;
type Drawing = (typeof drawings)[number];

/** Operating system commands that change the title, colours, links, the clipboard, or speak to the desktop. */
const commands = [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 99, 104, 777, 1337];

/** Writes to a terminal of that many columns as it is when it starts; all that was written stays on the screen. */
export async function screenOf(
  text: string,
  columns: number,
  drawing: Drawing = 'joined',
): Promise<Screen> {
  const sideEffects: string[] = [];
  const terminal = new headless.Terminal({
    cols: columns,
    rows: 1_000 + text.split('\n').length,
    convertEol: true,
    allowProposedApi: true,
  });
  if (drawing === 'apart') drawApart(terminal);
  terminal.onTitleChange((title) => sideEffects.push(`title ${title}`));
  terminal.onBell(() => sideEffects.push('bell'));
  terminal.onData((answer) => sideEffects.push(`answered ${JSON.stringify(answer)}`));
  terminal.onScroll(() => sideEffects.push('scrolled'));
  terminal.buffer.onBufferChange(() => sideEffects.push('alternate screen'));
  for (const command of commands) {
    terminal.parser.registerOscHandler(
      command,
      (data) => sideEffects.push(`OSC ${command} ${data}`) > 0,
    );
  }
  for (const final of 'ABCDEFGHJKLMPSTXZ`abdefghlmnrsu') {
    terminal.parser.registerCsiHandler({ final }, () => sideEffects.push(`CSI ${final}`) > 0);
    terminal.parser.registerCsiHandler(
      { prefix: '?', final },
      () => sideEffects.push(`CSI ? ${final}`) > 0,
    );
  }
  for (const final of 'DEHMNOVWXZ78=>c') {
    terminal.parser.registerEscHandler({ final }, () => sideEffects.push(`ESC ${final}`) > 0);
  }
  await new Promise<void>((written) => terminal.write(text, written));

  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.baseY + active.cursorY + 1 }, (_, at) =>
    active.getLine(at),
  );
  for (const line of lines) {
    for (let at = 0; at < columns; at += 1) {
      const cell = line?.getCell(at);
      if (cell && !cell.isAttributeDefault())
        sideEffects.push(`a look of its own for ${cell.getChars()}`);
    }
  }
  if (active.cursorX !== 0) sideEffects.push('the cursor is not where the next line begins');
  const rows = lines.map((line) => line?.translateToString(true) ?? '').slice(0, -1);
  terminal.dispose();
  return { rows, sideEffects };
}

/** A title that tells `finalScreen` how wide the terminal is from here on. */
export const widthMark = (columns: number) => `\u001b]2;${columns}\u0007`;

/** Does what the bytes say, as a terminal of that many columns does, and returns the lines that are left on its screen. */
export async function finalScreen(bytes: string, columns: number): Promise<string[]> {
  const terminal = new headless.Terminal({ cols: columns, rows: 50, allowProposedApi: true });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark
  for (const [n, part] of bytes.split(/\x1b\]2;(\d+)\x07/).entries()) {
    if (n % 2 === 1) terminal.resize(Number(part), 50);
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
