import { type Command, Option } from 'commander';
import { anyRequest } from '../../api/endpoints.ts';
import type { Head } from '../../api/exchange.ts';
import { mayChange, methods } from '../../api/method.ts';
import { explained, unsent, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { takeEqualsSign } from '../../session/options.ts';
import { inSession, type Session } from '../../session/session.ts';
import { addExamples } from '../examples.ts';
import { usageOf } from '../help.ts';
import { addNotes } from '../notes.ts';
import { parseCall } from './call.ts';
import { bodyOf, type Field, fieldOptions } from './fields.ts';

type Options = {
  readonly method?: string;
  readonly data?: string;
  readonly field?: readonly Field[];
  readonly rawField?: readonly Field[];
  readonly include?: boolean;
  readonly silent?: boolean;
  readonly dryRun?: boolean;
};

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore api categories',
    'petstore api categories -f name=rabbit -f description=Quiet --dry-run',
    "jq '{name}' pet.json | petstore api POST /categories --data -",
  ]);
  addNotes(command, [
    'The method is GET, or POST if there is a body. The first "/" of the path can be left out.',
    [
      'Values of --field:',
      [
        ['true, false, null', 'as in JSON'],
        ['42', 'an integer, every digit kept; 042 and 4.2 are text'],
        ['@FILE, @-', 'the text of a file, or of standard input'],
      ],
    ],
    'Values of --raw-field are always text. For nested fields, arrays and other numbers: --data. Query parameters are part of the path.',
    'After an error status nothing is printed, with --include too; -v shows status and headers.',
  ]);
  const method = new Option('-X, --method <method>', 'the same as the argument');
  takeEqualsSign(method);
  command
    .usage('[options] [method] <path>')
    .argument('[method]', methods.join(', '))
    .argument('[path]', 'path below the base URL, with an optional query: categories')
    .addOption(method);
  for (const option of fieldOptions()) command.addOption(option);
  command
    .option('--data <json>', 'request body: JSON, @FILE, or - for standard input')
    .option('-i, --include', 'print the status and the headers of the response too')
    .option('--silent', 'do not print the body of the response')
    .option('--dry-run', 'show the request and send nothing')
    .action(async (first: string | undefined, second: string | undefined, options: Options) =>
      inSession(host, command, async (session) => {
        if (first === undefined) {
          throw usageFailure('missing required argument <path>', `Usage: ${usageOf(command)}`);
        }
        await run(session, [first, second], options);
      }),
    );
}

async function run(
  session: Session,
  words: readonly [string, string | undefined],
  options: Options,
): Promise<void> {
  const { connect, host, output, report } = session;
  const { include = false, silent = false } = options;
  const given = bodyOption(options);
  const { method, path } = parseCall(words, options.method, given);
  const operation = anyRequest(method, path);
  const body = given && (await readBody(session, options));
  const shower = include && !options.dryRun ? await import('./show-response.ts') : undefined;
  if (shower) output.checkColumns(shower.columns);
  const client = await connect();

  if (options.dryRun) {
    const { showRequest } = await import('../show-request.ts');
    return showRequest(output, client.prepare(operation, { body }));
  }

  if (mayChange(method) && !(silent && !shower)) await output.load().catch(unsent);
  if (shower) {
    let head: Head | undefined;
    const data = await client.call(operation, { body }, { onResponse: (came) => (head = came) });
    if (head)
      await printed(shower.showResponse(output, host.sink.clean, head, silent ? undefined : data));
    return;
  }
  const data = await client.stream(operation, { body });
  if (silent) return;
  if (data === undefined) {
    return notice(report, `${method} ${words[1] ?? words[0]}: success, with an empty response`);
  }
  await printed(output.anything(data));

  /** A result that cannot be printed does not undo what was done. */
  function printed(printing: Promise<void>): Promise<void> {
    return printing.catch((error) => {
      throw mayChange(method) ? explained(error, host.context.signal, accepted) : error;
    });
  }
}

const accepted = { outcome: 'done', consequence: 'The service accepted the request.' } as const;

/** The option that gives a body, if any does. @throws Failure (usage) when two do that exclude each other */
function bodyOption({ data, field, rawField }: Options): string | undefined {
  const fields = field ? '--field' : rawField && '--raw-field';
  if (data !== undefined && fields) {
    throw usageFailure(`${fields} cannot be used with --data`, 'Remove one of the two.');
  }
  return data === undefined ? fields : '--data';
}

async function readBody(session: Session, { data, field, rawField }: Options): Promise<string> {
  if (data === undefined) return bodyOf(session, field ?? rawField ?? []);
  const { readBody } = await import('./body.ts');
  return readBody(session, data);
}
