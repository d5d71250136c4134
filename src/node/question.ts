import { createInterface } from 'node:readline/promises';

/** What a prompt talks to: stdout is for results alone. */
export type Terminal = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
};

/** Asks for a line of text, which is shown as it is typed. @throws the signal's reason */
export async function askLine(
  message: string,
  { input, output, signal }: Terminal,
): Promise<string> {
  const lines = createInterface({ input, output, historySize: 0 });
  try {
    return await lines.question(`? ${message}: `, { signal });
  } finally {
    lines.close();
  }
}
