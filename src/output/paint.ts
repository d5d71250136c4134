/** How a text looks, and what that means: a header, an aside, well, a warning, an error; in a diff more, other, less. */
export type Look = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

export type Paint = (look: Look, text: string) => string;

/** Loads what paints, which only a run in colour needs. @throws Failure (output) */
export async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (look, text) => chalk[look](text);
}
