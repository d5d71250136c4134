import { usageFailure } from '../../errors.ts';
import { Fault } from '../../import/read/faults.ts';
import { openSource } from '../../import/read/source.ts';
import { decodeText } from '../../import/read/text.ts';
import { JsonError, parseJson } from '../../json/parse.ts';
import { type Position, positionAfter, startOfText } from '../../json/position.ts';
import type { Session } from '../../session/session.ts';

/** Longest body, in MiB. */
const maxSize = 8;

/**
 * The body of a request, one JSON text just as it was given. A byte order mark is left out.
 * @throws Failure (usage), the signal's reason
 */
export async function readBody(session: Session, data: string): Promise<string> {
  const file = data.startsWith('@') ? data.slice(1) : data === '-' ? '-' : undefined;
  const text = file === undefined ? judgeArgument(data) : await readWhole(session, file, '--data');
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(
      '--data',
      nameOf(file),
      positionAfter(startOfText, text, 0, error.offset),
      error.reason,
    );
  }
  return text;
}

function judgeArgument(text: string): string {
  if (!text.includes('\ufffd')) return text;
  throw usageFailure('invalid body: not UTF-8, or it contains U+FFFD');
}

/**
 * The text of a file, or of standard input for `-`, without a byte order mark.
 * @param option that names it, for messages
 * @throws Failure (usage), the signal's reason
 */
export async function readWhole(
  { host, options }: Session,
  file: string,
  option: '--data' | '--field',
): Promise<string> {
  if (file === '') throw usageFailure(`file name required after @ in ${option}`);
  if (file === '-' && options.apiKeyFile === '-') {
    throw usageFailure(
      'standard input cannot be both the body and the API key',
      'Read one of them from a file, or set PETSTORE_API_KEY.',
    );
  }
  const { chunks } = await openSource(host.context, file);
  let text = '';
  try {
    for await (const part of decodeText(chunks)) {
      text += part;
      if (text.length > maxSize * 1024 * 1024) {
        throw usageFailure(`${nameOf(file)} is larger than ${maxSize} MiB`);
      }
    }
  } catch (error) {
    throw error instanceof Fault
      ? invalid(option, nameOf(file), error.position, error.reason)
      : error;
  }
  return text;
}

function nameOf(file: string | undefined): string {
  return file === undefined ? '--data' : file === '-' ? 'standard input' : file;
}

function invalid(
  option: '--data' | '--field',
  name: string,
  { line, column }: Position,
  reason: string,
) {
  const what = option === '--data' ? 'JSON body' : 'field';
  return usageFailure(`invalid ${what} (${name}:${line}:${column}): ${reason}`);
}
