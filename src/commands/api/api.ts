import type { Command } from 'commander';
import { anyRequest } from '../../api/endpoints.ts';
import { type Method, mayChange, methods } from '../../api/method.ts';
import { explained, unsent, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { inSession, type Session } from '../../session/session.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addExamples } from '../examples.ts';
import { parsePath } from './path.ts';

type Options = { readonly data?: string; readonly dryRun?: boolean };

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore api GET /categories',
    `petstore api POST /categories --data '{"name":"rabbit"}' --dry-run`,
    "jq '{name}' pet.json | petstore api POST /categories --data -",
  ]);
  command
    .argument('<method>', methods.join(', '))
    .argument('<path>', 'path below the base URL, with an optional query: /categories')
    .option('--data <json>', 'request body: JSON, @FILE, or - for standard input')
    .option('--dry-run', 'show the request and send nothing')
    .action(async (word: string, path: string, { data, dryRun }: Options) =>
      inSession(host, command, async (session) => {
        const { connect, output, report } = session;
        const method = parseMethod(word);
        const operation = anyRequest(method, parsePath(path));
        const body = data === undefined ? undefined : await readBody(session, method, data);
        const client = await connect();

        if (dryRun) {
          const { showRequest } = await import('../show-request.ts').catch(unloadable);
          return showRequest(output, client.prepare(operation, { body }));
        }

        if (mayChange(method)) await output.load().catch(unsent);
        const answer = await client.stream(operation, { body });

        if (answer === undefined) {
          return notice(report, `${method} ${path}: success, with an empty response`);
        }
        await output.anything(answer).catch((error) => {
          throw mayChange(method) ? explained(error, host.context.signal, accepted) : error;
        });
      }),
    );
}

/** A result that cannot be printed does not undo what was done. */
const accepted = { outcome: 'done', consequence: 'The service accepted the request.' } as const;

async function readBody(session: Session, method: Method, data: string): Promise<string> {
  const { readBody } = await import('./body.ts').catch(unloadable);
  return readBody(session, method, data);
}

/** @throws Failure (usage) */
function parseMethod(word: string): Method {
  const method = methods.find((name) => name === word.toUpperCase());
  if (method) return method;
  throw usageFailure(`invalid method${quotedUnlessKey(word)}`, `Use one of: ${methods.join(', ')}`);
}
