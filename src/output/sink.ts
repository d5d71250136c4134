import type { Context, Output } from '../context.ts';
import { deadline } from '../deadline.ts';
import { Exit, Failure } from '../errors.ts';
import { isJsonObject, type Json, mapTexts } from '../json/json.ts';
import { escapeLines, escapeText } from '../json/safe-text.ts';
import { cutText } from '../text/quote.ts';
import { cutOut, formsOf } from '../text/secret.ts';

export type Style = 'bold' | 'dim' | 'yellow' | 'red';
export type Line = string | { readonly style: Style; readonly text: string };

const flushTimeoutMs = 1_000;
const maxMessageLength = 500;

/**
 * The only way out for text. Messages are redacted here. Data is redacted by the printer before it is laid out, because
 * afterwards a key of digits would match inside an id. Whatever a terminal could act on is escaped here at the latest.
 */
export function createSink(context: Context, hasColor: (output: Output) => boolean) {
  const { stdout, stderr, signal } = context;
  const secrets = createSecrets();
  let messages: Promise<unknown> = Promise.resolve();

  const write = (line: Line) => {
    messages = messages
      .then(async () => stderr.write(`${await render([line], stderr)}\n`))
      .catch(() => {});
  };

  return {
    ...secrets,
    async print(lines: readonly Line[]): Promise<void> {
      if (lines.length === 0) return;
      const text = await render(lines, stdout);
      // In two writes: with a line end added, the text of a large response would be copied once more.
      const written = messages.then(() => Promise.all([stdout.write(text), stdout.write('\n')]));
      try {
        await untilInterrupted(written, signal.aborted ? flushTimeoutMs : 0);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const { code = 'unknown' } = error as NodeJS.ErrnoException;
        if (code === 'EPIPE') throw new Exit(141);
        const message = `cannot write the result to standard output (${code})`;
        throw new Failure('output', message, { cause: error });
      }
    },
    say(message: string, style?: Style): void {
      const text = escapeText(cutText(secrets.redact(message), maxMessageLength));
      write(style ? { style, text } : text);
    },
    /** Writes an event. Its texts are redacted already: a key of digits would match inside the numbers of finished JSON. */
    sayJson: (json: string): void => write(json),
    /** Resolves when all messages are written, or when the run was interrupted and nobody reads them. */
    flush: (): Promise<unknown> => untilInterrupted(messages, flushTimeoutMs).catch(() => {}),
  };

  /** Escapes lines and colours them. If chalk cannot be loaded, they are plain: they may be the last word on a write. */
  async function render(lines: readonly Line[], output: Output): Promise<string> {
    const isColored = lines.some((line) => typeof line !== 'string') && hasColor(output);
    const chalk = isColored ? await import('chalk').catch(() => undefined) : undefined;
    const paint = chalk && new chalk.Chalk({ level: 1 });
    const texts = lines.map((line) => {
      if (typeof line === 'string') return escapeLines(line);
      const text = escapeLines(line.text);
      return paint ? paint[line.style](text) : text;
    });
    return texts.join('\n');
  }

  /** Waits for `work`, but after an interruption at most `ms` longer; then it rejects with the signal's reason. */
  function untilInterrupted<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      let cancel = () => {};
      const onAbort = () => {
        cancel = deadline(context, ms, () => reject(signal.reason));
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
      work.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', onAbort);
        cancel();
      });
    });
  }
}

export type Sink = ReturnType<typeof createSink>;

function createSecrets() {
  const forms = new Set<string>();

  const hasSecret = (text: string) => [...forms].some((form) => text.includes(form));

  const redact = (text: string) => cutOut(text, forms);

  return {
    hide(secret: string): void {
      for (const form of formsOf(secret)) forms.add(form);
    },
    redact,
    /** Returns data without secrets. Numbers stay as they are: half an id would be another id. */
    redactData: <Data extends Json | readonly Json[]>(data: Data): Data =>
      hasSecret(joinTexts(data as Json)) ? (mapTexts(data as Json, redact, redact) as Data) : data,
  };
}

function joinTexts(value: Json | undefined): string {
  if (typeof value === 'string') return `${value}\n`;
  if (Array.isArray(value)) return value.map(joinTexts).join('');
  if (!isJsonObject(value)) return '';
  let texts = '';
  for (const name of Object.keys(value)) texts += `${name}\n${joinTexts(value[name])}`;
  return texts;
}
