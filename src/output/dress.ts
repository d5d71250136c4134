import { type Look, loadPaint } from './paint.ts';

/** Gives a finished line of stderr its form. */
export type Dress = (line: string) => string | Promise<string>;

/** What the reader of stderr sees it on. */
export type Place = {
  readonly color: boolean;
  /** Of the terminal, in cells; undefined where it is none. */
  readonly width: number | undefined;
};

/** How a message looks on a terminal: broken between words, and in colour. In a pipe it is one line as it is. */
export function dressFor({ color, width }: Place, look: Look | undefined): Dress {
  const painted = look !== undefined && color;
  return (line) => {
    const fits = width === undefined || (/^[ -~]*$/.test(line) && line.length <= width);
    if (fits && !painted) return line;
    // What is to be said is said without it, too.
    return dress(line).catch(() => line);

    async function dress(line: string): Promise<string> {
      const wrapped = fits ? line : await wrap(line, width);
      return painted ? (await loadPaint())(look, wrapped) : wrapped;
    }
  };
}

async function wrap(line: string, width: number): Promise<string> {
  const { wrapWords } = await import('./wrap.ts');
  return wrapWords(line, width, 2);
}
