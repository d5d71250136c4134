import { Argument, type Command } from 'commander';
import { usageFailure, withDetails } from '../errors.ts';
import { notice } from '../events.ts';
import { readBytes, Stop, utf8Text } from '../import/text.ts';
import { JsonError, parseJson } from '../json/json.ts';
import { createLocator } from '../json/position.ts';
import { isWrite, type Method, methods } from '../request/exchange.ts';
import { anyRequest } from '../service/endpoints.ts';
import type { App } from '../session/app.ts';
import { onProfile } from '../session/chosen-profile.ts';
import { type Session, withSession } from '../session/session.ts';
import { parseChoice } from '../settings/values.ts';
import { quoted } from '../text/quote.ts';
import { addExamples } from './help.ts';
import { showRequest } from './show-request.ts';

type Options = { readonly data?: string; readonly dryRun?: boolean };

const maxBodyMiB = 8;

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore api GET /categories',
    `petstore api POST /categories --data '{"name":"rabbit"}'`,
    "jq '{name}' pet.json | petstore api POST /categories --data -",
  ]);
  command
    .addArgument(
      new Argument('<method>', 'HTTP method')
        .choices(methods)
        .argParser(
          (text) =>
            methods.find((method) => method === text.toUpperCase()) ??
            parseChoice('method', text, methods),
        ),
    )
    .argument('<path>', 'path below the base URL, with an optional query: /categories')
    .option('--data <json>', 'request body: JSON, @FILE, or - for standard input')
    .option('--dry-run', 'show the request and send nothing')
    .action(withSession(app, command, send));
}

async function send(
  session: Session,
  method: Method,
  path: string,
  { data, dryRun }: Options,
): Promise<void> {
  const { output, report } = session;
  if (data !== undefined && !isWrite(method)) throw usageFailure(`${method} does not take --data`);
  const operation = anyRequest(method, parsePath(path));
  const body = data === undefined ? undefined : await readBody(session, data);
  const client = await session.client();
  if (dryRun) return showRequest(output, client.prepare(operation, { body }));

  const response = await client.call(operation, { body });
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

/** Returns a path that stays below the base URL. Its percent-encoding is left as it is. */
function parsePath(given: string): string {
  if (/^[a-z]:[/\\]/i.test(given)) {
    throw usageFailure(
      'invalid path: must not begin with a drive',
      'Git Bash rewrites /categories to a path of Windows. Leave out the first "/".',
    );
  }
  const text = given.startsWith('/') ? given : `/${given}`;
  const [path = ''] = text.split('?', 1);
  // A server or a proxy may decode these, and then follow the path.
  const decoded = path.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
  const isPlain = /^(?!\/\/)[^\\#\p{Cc}\p{Cs}\ufffd]*$/u.test(text);
  const isUrl = /^\/[a-z][a-z\d+.-]*:\/\//i.test(text);
  if (isUrl) throw usageFailure('give a path, not a URL: /categories');
  if (given.trim() === '' || !isPlain || /\/\.{1,2}(?:\/|$)/.test(decoded)) {
    throw usageFailure(
      `invalid path ${quoted(given)}: must be below the base URL, without "..", "#", "\\" or control characters`,
      'Write a path such as /categories.',
    );
  }
  const { pathname, search } = new URL(text, 'http://localhost');
  return pathname + search;
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
