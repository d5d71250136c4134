import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { readText } from '../../disk/files.ts';
import { Exit, interruptedFailure, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import { JsonError, parseJson } from '../../json/parse.ts';
import { type PlanName, plans } from '../../sandbox/quota.ts';
import { type RunningSandbox, serveSandbox, throwawayKey } from '../../sandbox/serve.ts';
import { answer } from '../../sandbox/service.ts';
import { type SandboxState, sampleState, stateFromData } from '../../sandbox/state.ts';
import type { Host } from '../../session/host.ts';
import { inSession, type Session } from '../../session/session.ts';
import { wordFor } from '../../text/secret.ts';
import { addExamples } from '../examples.ts';
import { runAgainst } from './run.ts';

type Options = { readonly port?: number; readonly plan: PlanName; readonly data?: string };

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore sandbox -- ./script.sh',
    'petstore sandbox -- petstore categories list',
    'petstore sandbox --port 4010 --plan pro --data pets.json',
  ]);
  command
    .usage('[options] [-- command...]')
    .argument('[command...]', 'a program to run against a fresh sandbox')
    .addOption(
      new Option('--port <number>', 'a port of this machine (default: a free one)').argParser(
        parsePort,
      ),
    )
    .addOption(
      new Option('--plan <name>', 'whose limits apply').choices(Object.keys(plans)).default('free'),
    )
    .option('--data <file>', 'categories, pets and orders to begin with, as JSON')
    .action(async (program: string[], { port, plan, data }: Options) =>
      inSession(host, command, async (session) => {
        const state = data === undefined ? sampleState() : readData(data);
        const options = {
          answer: (request: Parameters<typeof answer>[2]) => answer(state, plans[plan], request),
          key: throwawayKey(),
          now: host.context.now,
        };
        const running = await serveSandbox(options, port ?? 0);
        try {
          if (program.length > 0) throw new Exit(await runAgainst(running, program, host.context));
          await announce(session, running, plan);
          await interrupted(host.context.signal);
        } finally {
          running.server.close();
          running.server.closeAllConnections();
        }
      }),
    );
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw usageFailure(`${wordFor(text)} is no port`, 'A number from 0 to 65535.');
  return port;
}

/** In bytes: as long a list as petstore reads. */
const longestData = 96 * 1024 * 1024;

function readData(path: string): SandboxState {
  const text = readText(path, longestData);
  if (text === undefined) throw usageFailure(`there is no file ${path}`);
  try {
    return stateFromData(parseJson(text));
  } catch (error) {
    const reason = error instanceof JsonError ? `no valid JSON: ${error.message}` : error;
    throw usageFailure(
      `${path} cannot be served: ${reason instanceof Error ? reason.message : reason}`,
    );
  }
}

/** The address and the key are the result: lines to paste into another shell. */
async function announce(
  { output, report }: Session,
  { baseUrl, key }: RunningSandbox,
  plan: PlanName,
): Promise<void> {
  await output.exports({ PETSTORE_BASE_URL: baseUrl.href, PETSTORE_API_KEY: key });
  notice(report, `serving the ${plan} plan on this machine; Ctrl-C ends it`);
}

/** Resolves never; ends with the signal that stops the server, which is no failure to speak of. */
async function interrupted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Exit(interruptedFailure(signal, {}).exitCode);
}
