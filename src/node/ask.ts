import confirmPrompt from '@inquirer/confirm';
import inputPrompt from '@inquirer/input';
import passwordPrompt from '@inquirer/password';
import type { Validate } from '../context.ts';
import { Interruption } from '../errors.ts';

export type Terminal = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
};

/** Without colour: on Node 20 the prompts would be coloured in spite of --no-color and NO_COLOR. */
const theme = {
  prefix: { idle: '?', done: '?' },
  style: {
    message: (text: string) => text,
    answer: (text: string) => text,
    help: (text: string) => text,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
  },
};

export function askLine(message: string, validate: Validate, terminal: Terminal): Promise<string> {
  return ask((context) => inputPrompt({ message, validate, theme }, context), terminal);
}

export function askSecret(
  message: string,
  validate: Validate,
  terminal: Terminal,
): Promise<string> {
  return ask(
    (context) => passwordPrompt({ message, validate, theme, mask: true }, context),
    terminal,
  );
}

export function confirm(message: string, terminal: Terminal): Promise<boolean> {
  return ask((context) => confirmPrompt({ message, default: false, theme }, context), terminal);
}

async function ask<Answer>(
  prompt: (context: Terminal) => Promise<Answer>,
  { input, output, signal }: Terminal,
): Promise<Answer> {
  // After Ctrl-D the prompt stops reading, but never settles.
  const closed = new AbortController();
  const onPause = () => closed.abort();
  input.once('pause', onPause);
  try {
    return await prompt({ input, output, signal: AbortSignal.any([signal, closed.signal]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The prompt reads Ctrl-C as a key, so the process gets no signal.
    const isCtrlC = error instanceof Error && error.name === 'ExitPromptError';
    throw isCtrlC || closed.signal.aborted ? new Interruption(130) : error;
  } finally {
    input.removeListener('pause', onPause);
  }
}
