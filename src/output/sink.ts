import type { Context } from '../context.ts';
import type { Json } from '../json/exact.ts';
import { textOf } from '../json/verbatim.ts';
import { createJsonWriter } from '../json/write.ts';
import { type Clean, createClean, createCleanOurs } from './clean.ts';
import { createOut, type Out } from './out.ts';
import {
  arePlainRecords,
  isBare,
  isPlain,
  jsonString,
  sealLines,
  sealRecord,
  showText,
} from './safe-text.ts';
import { createSecrets } from './secrets.ts';

/**
 * A line of text, one that may be bold, a line of a record in which tabs separate and fields may end lines, or lines that
 * are known to be harmless.
 */
export type Line =
  | string
  | { readonly bold: string }
  | { readonly record: string }
  | { readonly sealed: string };

/**
 * The one way out for all text of a run, results and errors alike: secrets are cut out, then the rest is made harmless.
 *
 * Secrets are cut out before anything is laid out, since afterwards a line is a mixture in which a key of digits would tear
 * an id, and a password `description` the name of a field:
 * - Data is cut text by text (`clean`), in which numbers, and names of fields that are ours, are never touched.
 * - A message is cut as a whole (`show`, `json`, `print`, `say`), so that no way into it is overlooked.
 * Only `laid` cuts nothing: a printer has it for data that is clean, and the reporter for what it laid out of such texts.
 */
export type Outlet = Sink & {
  /** From now on this text appears nowhere. */
  readonly hide: (secret: string) => void;
  /** A message, or what goes into one, without secrets. */
  readonly redact: (text: string) => string;
  /** Data of the service without secrets. */
  readonly clean: Clean;
  /** Data that petstore itself made, without secrets. */
  readonly cleanOurs: Clean;
  /** The same way out for what was laid out of clean data: it is made harmless, and nothing is cut out of it. */
  readonly laid: Sink;
};

/** What makes text harmless and writes it. */
export type Sink = {
  /** One piece of text, fit to stand in a line. */
  readonly show: (text: string) => string;
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

/** Turns finished text into the same text in another look. */
type Style = (text: string) => string;

/** How secrets are cut out of text and of data. */
type Way = Pick<Outlet, 'redact' | 'clean'>;

const nothingCut: Way = { redact: (text) => text, clean: (data) => data };

export function createSink(
  context: Pick<Context, 'stdout' | 'stderr' | 'signal' | 'sleep'>,
): Outlet {
  const out = createOut(context);
  const secrets = createSecrets();
  const { hide, cutMessage: redact } = secrets;
  const clean = createClean(secrets);
  const cleanOurs = createCleanOurs(secrets);
  const messages = createWay({ redact, clean: cleanOurs }, out);
  return { ...messages, hide, redact, clean, cleanOurs, laid: createWay(nothingCut, out) };
}

function createWay({ redact: cut, clean }: Way, out: Out): Sink {
  const seal = (text: string) => sealLines(cut(text));
  const string = (text: string) => (isBare(text) ? `"${text}"` : jsonString(text));
  const json = (values: readonly Json[], indent: number) =>
    clean(values).map(createJsonWriter({ indent, string })).join('\n');
  const sealAsItIs = (text: string) =>
    arePlainRecords(text) && cut(text) === text ? { sealed: text } : undefined;
  return {
    show: (text) => showText(cut(text)),
    json: (value, indent = 0) => json([value], indent),
    jsonLines(values) {
      const text = textOf(values);
      return (text !== undefined && sealAsItIs(text)) || json(values, 0);
    },
    showsAsItIs: (text) => isPlain(text) && !text.includes('\\') && cut(text) === text,
    sealAsItIs,
    print(lines, bold = (text: string) => text) {
      const sealed = lines.map((line) => {
        if (typeof line === 'string') return seal(line);
        if ('sealed' in line) return line.sealed;
        return 'bold' in line ? bold(seal(line.bold)) : sealRecord(cut(line.record));
      });
      return out.print(`${sealed.join('\n')}\n`);
    },
    say: (line) => out.say(`${seal(line)}\n`),
    flush: out.flush,
  };
}
