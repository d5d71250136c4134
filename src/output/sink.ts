import type { Context } from '../context.ts';
import type { Json } from '../json/exact.ts';
import { textOf } from '../json/verbatim.ts';
import { createJsonWriter } from '../json/write.ts';
import { type Clean, createClean, createCleanOurs } from './clean.ts';
import type { Dress } from './dress.ts';
import { createOut, type Out } from './out.ts';
import type { Look, Paint } from './paint.ts';
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
 * A line of text, one that may be bold, one whose beginning has a look of its own, a line of a record in which tabs separate
 * and fields may end lines, or lines that are known to be harmless.
 */
export type Line =
  | string
  | { readonly bold: string }
  | { readonly look: Look; readonly begin: string; readonly rest: string }
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
  readonly print: (lines: readonly Line[], paint?: Paint) => Promise<void>;
  /** Writes a line to stderr, in the form that `dress` gives it; that it fails is not said, since there is nowhere left to say it. */
  readonly say: (line: string, dress?: Dress) => void;
  /** Resolves when all that was said is written, or nobody reads it and the run is interrupted. */
  readonly flush: () => Promise<void>;
};

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
    showsAsItIs: (text) => isPlain(text) && !text.includes('\\u{') && cut(text) === text,
    sealAsItIs,
    print(lines, paint: Paint = (_, text) => text) {
      const sealed = lines.map((line) => {
        if (typeof line === 'string') return seal(line);
        if ('sealed' in line) return line.sealed;
        if ('bold' in line) return paint('bold', seal(line.bold));
        if ('look' in line) return paint(line.look, seal(line.begin)) + seal(line.rest);
        return sealRecord(cut(line.record));
      });
      return out.print(`${sealed.join('\n')}\n`);
    },
    say(line, dress) {
      const dressed = dress ? dress(seal(line)) : seal(line);
      out.say(typeof dressed === 'string' ? `${dressed}\n` : dressed.then((text) => `${text}\n`));
    },
    flush: out.flush,
  };
}
