import { usageFailure, withDetails } from '../errors.ts';
import { notice } from '../events.ts';
import { readBytes, Stop, utf8Text } from '../import/text.ts';
import { JsonError, parseJson } from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { isWrite, type Method, methods } from '../request/exchange.ts';
import { anyRequest } from '../service/endpoints.ts';
import type { Session } from '../session/session.ts';
import { onProfile } from '../session/settings.ts';
import { parseChoice } from '../settings/values.ts';
import { quoted } from '../text/quote.ts';
import { showRequest } from './show-request.ts';
import type { Verb } from './verb.ts';

type Options = { readonly data?: string; readonly dryRun?: boolean };

const maxBodyMiB = 8;

export const api: Verb = {
  takes: [
    ['<method>', 'HTTP method', methods, parseMethod],
    ['<path>', 'path below the base URL, with an optional query: /categories'],
  ],
  options: [
    ['--data <json>', 'request body: JSON, @FILE, or - for standard input'],
    ['--dry-run', 'show the request and send nothing'],
  ],
  examples: [
    'petstore api GET /categories',
    `petstore api POST /categories --data '{"name":"rabbit"}'`,
    "jq '{name}' pet.json | petstore api POST /categories --data -",
  ],
  format: 'json',
  run: send,
};

function parseMethod(text: string): Method {
  const method = methods.find((method) => method === text.toUpperCase());
  return method ?? parseChoice('method', text, methods);
}

async function send(
  session: Session,
  method: Method,
  path: string,
  { data, dryRun }: Options,
): Promise<void> {
  const { output, report } = session;
  if (data !== undefined && !isWrite(method)) throw usageFailure(`${method} does not take --data`);
  const body = data === undefined ? undefined : await readBody(session, data);
  const client = await session.client();
  const { href: base } = client.prepare(anyRequest('GET', '/')).url;
  const operation = anyRequest(method, parsePath(path, base));
  if (dryRun) return showRequest(output, client.prepare(operation, body));

  const response = await client.call(operation, body);
  const where = isWrite(method) ? onProfile(session) : '';
  if (where) notice(report, `done${where}`);
  if (response === undefined) {
    return notice(report, `${method} ${path}: success, with an empty response`);
  }
  await output.print({ record: response }).catch((error) => {
    if (!isWrite(method)) throw error;
    // A result that cannot be printed does not undo a write.
    const consequence = 'The service accepted the request.';
    throw withDetails(error, { outcome: 'done', consequence });
  });
}

/** Returns a path and query below `base`, which ends with a slash. A whole URL may be given as well. */
function parsePath(path: string, base: string): string {
  const text = /^https?:/i.test(path) ? path : base + path.replace(/^\//, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (path && url?.href.startsWith(base) && !url.hash) return url.href.slice(base.length - 1);
  const hint = 'It must be below the base URL, without "#". Write a path such as /categories.';
  throw usageFailure(`invalid path ${quoted(path)}`, hint);
}

async function readBody(session: Session, data: string): Promise<string> {
  const file = data.startsWith('@') ? data.slice(1) : data === '-' ? '-' : undefined;
  // Node decodes an argument that is not UTF-8 to U+FFFD.
  if (file === undefined && data.includes('\ufffd')) throw usageFailure('--data is not UTF-8');

  const { source, bytes } =
    file === undefined
      ? { source: '--data', bytes: Buffer.from(data) }
      : await readBytes(session, file, 'body', maxBodyMiB);
  let text = '';
  try {
    text = utf8Text(bytes).toString();
    parseJson(text);
    return text;
  } catch (error) {
    const isStop = error instanceof Stop;
    if (!isStop && !(error instanceof JsonError)) throw error;
    const { line, column } = isStop ? error.place : createLocator(text)(error.offset);
    const hint = `Write JSON such as --data '{"name":"dog"}'.`;
    throw usageFailure(`invalid JSON body (${source}:${line}:${column}): ${error.reason}`, hint);
  }
}
