import { type Method, mayChange, methods } from '../../api/method.ts';
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
export async function readBody(session: Session, method: Method, data: string): Promise<string> {
  if (!mayChange(method)) {
    const others = methods.filter(mayChange).join(', ');
    throw usageFailure(`${method} does not take --data`, `Methods that do: ${others}`);
  }
  const file = data.startsWith('@') ? data.slice(1) : data === '-' ? '-' : undefined;
  const text = file === undefined ? judgeArgument(data) : await readFile(session, file);
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw noJson(nameOf(file), positionAfter(startOfText, text, 0, error.offset), error.reason);
  }
  return text;
}

function judgeArgument(text: string): string {
  if (!text.includes('\ufffd')) return text;
  throw usageFailure('invalid body: not UTF-8, or it contains U+FFFD');
}

async function readFile({ host, options }: Session, file: string): Promise<string> {
  if (file === '') throw usageFailure('file name required after @ in --data');
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
    throw error instanceof Fault ? noJson(nameOf(file), error.position, error.reason) : error;
  }
  return text;
}

function nameOf(file: string | undefined): string {
  return file === undefined ? '--data' : file === '-' ? 'standard input' : file;
}

function noJson(name: string, { line, column }: Position, reason: string) {
  return usageFailure(`invalid JSON body (${name}:${line}:${column}): ${reason}`);
}
