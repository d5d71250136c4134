import type { Context, Output } from '../context.ts';
import { Exit, Failure, systemCode } from '../errors.ts';
import type { Json } from '../json/exact.ts';
import { textOf } from '../json/verbatim.ts';
import { createJsonWriter } from '../json/write.ts';
import { cutOut, formsOf } from '../secret.ts';
import {
  arePlainRecords,
  isBare,
  isPlain,
  jsonString,
  sealLines,
  sealRecord,
  showText,
} from './safe-text.ts';

/**
 * A line of text, one that may be bold, a line of a record in which tabs separate and fields may end lines, or lines that
 * are known to be harmless.
 */
export type Line =
  | string
  | { readonly bold: string }
  | { readonly record: string }
  | { readonly sealed: string };

/** The one way out for all text of a run, results and errors alike: secrets are cut out, then the rest is made harmless. */
export type Sink = {
  /** From now on this text appears nowhere. */
  readonly hide: (secret: string) => void;
  /** One piece of foreign text, fit to stand in a line. */
  readonly show: (text: string) => string;
  /** Foreign text without secrets, for a format with its own way to make it harmless. */
  readonly redact: (text: string) => string;
  /** Harmless JSON text; `indent` as in writeJson. */
  readonly json: (value: Json, indent?: number) => string;
  /** The same of each value, one a line. */
  readonly jsonLines: (values: readonly Json[]) => Line;
  /** Whether `show` would change nothing in a text, nor in any part of it. */
  readonly showsAsItIs: (text: string) => boolean;
  /** Many lines, or lines of records, at once, where no line has anything to be cut out or made harmless. */
  readonly sealAsItIs: (text: string) => Line | undefined;
  /** Writes lines of the result to stdout. @throws Failure (output), Exit when the reader went away, the signal's reason */
  readonly print: (lines: readonly Line[], bold?: Style) => Promise<void>;
  /** Writes a line to stderr; nobody is told when that fails, since there is nowhere left to tell it. */
  readonly say: (line: string) => void;
  /** Resolves when all that was said is written, or nobody reads it and the run is interrupted. */
  readonly flush: () => Promise<void>;
};

/** Why a wait for an interruption is given up. */
const printed = new Error('printed');

/** Turns finished text into the same text in another look. */
type Style = (text: string) => string;

/** How long a reader may take with what an interrupted run has yet to say, in ms. */
const patience = 1_000;

export function createSink({
  stdout,
  stderr,
  signal,
  sleep,
}: Pick<Context, 'stdout' | 'stderr' | 'signal' | 'sleep'>): Sink {
  const secrets = new Set<string>();
  let said = Promise.resolve();

  const redact = (text: string) => cutOut(text, secrets);
  const seal = (text: string) => sealLines(redact(text));

  /** The JSON texts of these values, one a line. */
  function json(values: readonly Json[], indent: number): string {
    const string = (text: string) => jsonString(redact(text));
    // Bare text is found in what is written, so that one look is enough for all of it.
    const quick = (text: string) => (isBare(text) ? `"${text}"` : string(text));
    const written = values.map(createJsonWriter({ indent, string: quick })).join('\n');
    if (redact(written) === written) return written;
    return values.map(createJsonWriter({ indent, string })).join('\n');
  }

  function sealAsItIs(text: string): Line | undefined {
    return arePlainRecords(text) && redact(text) === text ? { sealed: text } : undefined;
  }

  return {
    hide(secret) {
      for (const form of formsOf(secret)) secrets.add(form);
    },
    show: (text) => showText(redact(text)),
    redact,
    json: (value, indent = 0) => json([value], indent),
    jsonLines(values) {
      const text = textOf(values);
      return (text !== undefined && sealAsItIs(text)) || json(values, 0);
    },
    showsAsItIs: (text) => isPlain(text) && !text.includes('\\') && redact(text) === text,
    sealAsItIs,
    async print(lines, bold = (text) => text) {
      const sealed = lines.map((line) => {
        if (typeof line === 'string') return seal(line);
        if ('sealed' in line) return line.sealed;
        return 'bold' in line ? bold(seal(line.bold)) : sealRecord(redact(line.record));
      });
      // What was said before comes before it, where both go to one terminal.
      const written = said.then(() => stdout.write(`${sealed.join('\n')}\n`));
      try {
        await taken(written, signal.aborted ? patience : 0);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw unprintable(error);
      }
    },
    say(line) {
      said = said.then(() => writeQuietly(stderr, `${seal(line)}\n`));
    },
    flush: () => taken(said, patience).catch(() => {}),
  };

  /** As `written`; but a reader keeps an interrupted run no longer than `ms`. @throws the signal's reason */
  function taken(written: Promise<void>, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const giveUp = () => {
        sleep(ms, over.signal).then(
          () => reject(signal.reason),
          () => {},
        );
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp);
      written.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', giveUp);
        over.abort(printed);
      });
    });
  }
}

/** A reader that went away (`| head`) wants no more words; everything else is a failure. */
function unprintable(error: unknown): Error {
  const code = systemCode(error);
  if (code === 'EPIPE') return new Exit(141);
  return new Failure('output', `cannot write the result to standard output (${code})`, {
    cause: error,
  });
}

async function writeQuietly(stream: Output, text: string): Promise<void> {
  await stream.write(text).catch(() => {});
}
