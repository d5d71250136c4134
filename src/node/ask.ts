import confirmPrompt from '@inquirer/confirm';
import inputPrompt from '@inquirer/input';
import passwordPrompt from '@inquirer/password';
import type { Validate } from '../context.ts';
import { Interruption } from '../errors.ts';

export type Terminal = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly process: NodeJS.EventEmitter;
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
  return ask((context) => passwordPrompt({ message, validate, theme }, context), terminal);
}

export function confirm(message: string, terminal: Terminal): Promise<boolean> {
  return ask((context) => confirmPrompt({ message, default: false, theme }, context), terminal);
}

async function ask<Answer>(
  prompt: (context: Omit<Terminal, 'process'>) => Promise<Answer>,
  terminal: Terminal,
): Promise<Answer> {
  const { input, output, signal, process } = terminal;
  // After Ctrl-D the prompt stops reading, but never settles. After Ctrl-Z and fg it does not read on, so it is asked again.
  const stopped = new AbortController();
  const onPause = () => stopped.abort('closed');
  const onContinue = () => stopped.abort('continued');
  input.once('pause', onPause);
  process.once('SIGCONT', onContinue);
  try {
    return await prompt({ input, output, signal: AbortSignal.any([signal, stopped.signal]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (stopped.signal.reason === 'continued') return ask(prompt, terminal);
    // The prompt reads Ctrl-C as a key, so the process gets no signal.
    const isCtrlC = error instanceof Error && error.name === 'ExitPromptError';
    throw isCtrlC || stopped.signal.aborted ? new Interruption(130) : error;
  } finally {
    input.removeListener('pause', onPause);
    process.removeListener('SIGCONT', onContinue);
  }
}
