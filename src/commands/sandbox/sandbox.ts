import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { readText } from '../../disk/files.ts';
import { Exit, interruptedFailure, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import { JsonError, parseJson } from '../../json/json.ts';
import { type PlanName, plans } from '../../sandbox/quota.ts';
import { type RunningSandbox, serveSandbox, throwawayKey } from '../../sandbox/serve.ts';
import { answer } from '../../sandbox/service.ts';
import { type SandboxState, sampleState, stateFromData } from '../../sandbox/state.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { wordFor } from '../../text/secret.ts';
import { addExamples } from '../examples.ts';
import { addNotes } from '../notes.ts';
import { runAgainst } from './run.ts';

type Options = { readonly port?: number; readonly plan: PlanName; readonly data?: string };

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore sandbox -- ./script.sh',
    'petstore sandbox -- petstore categories list',
    'petstore sandbox --port 4010 --plan pro --data pets.json',
  ]);
  addNotes(command, [
    'Without a command it prints two lines to paste into another shell (on Windows into PowerShell), and serves until Ctrl-C. With one it runs it with ' +
      'PETSTORE_BASE_URL and PETSTORE_API_KEY set, and exits with its exit code.',
    'Each run begins with the same data. To choose them: --data with {"categories": [{"name": "dog"}], "pets": [...], "orders": [...]}, ' +
      'or an array of categories; what is left out has sample data.',
    '--profile sandbox is another sandbox, which keeps its data in the state folder (petstore doctor shows it). To start ' +
      'afresh, delete sandbox/requests.log in that folder.',
  ]);
  command
    .usage('[options] [-- command...]')
    .argument('[command...]', 'program to run against a fresh sandbox')
    .addOption(
      new Option('--port <number>', 'port to listen on (default: a free one)').argParser(parsePort),
    )
    .addOption(
      new Option('--plan <name>', 'plan whose rate limits apply')
        .choices(Object.keys(plans))
        .default('free'),
    )
    .option('--data <file>', 'JSON file with initial categories, pets and orders')
    .action(async (program: string[], { port, plan, data }: Options) =>
      withSession(app, command, async (session) => {
        const state = data === undefined ? sampleState() : readData(data);
        const options = {
          answer: (request: Parameters<typeof answer>[2]) => answer(state, plans[plan], request),
          key: throwawayKey(),
          now: app.context.now,
        };
        const running = await serveSandbox(options, port ?? 0);
        try {
          if (program.length > 0) throw new Exit(await runAgainst(running, program, app.context));
          await announce(session, running, plan);
          await interrupted(app.context.signal);
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
    throw usageFailure(`invalid port: ${wordFor(text)}`, 'Use a number from 0 to 65535.');
  return port;
}

/** In bytes: as long a list as petstore reads. */
const longestData = 96 * 1024 * 1024;

function readData(path: string): SandboxState {
  const text = readText(path, longestData);
  if (text === undefined) throw usageFailure(`file not found: ${path}`);
  try {
    return stateFromData(parseJson(text));
  } catch (error) {
    const what = error instanceof JsonError ? 'JSON' : 'data';
    throw usageFailure(
      `invalid ${what} in ${path}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** The address and the key are the result: lines to paste into another shell. */
async function announce(
  { context, output, report }: Session,
  { baseUrl, key }: RunningSandbox,
  plan: PlanName,
): Promise<void> {
  const variables = { PETSTORE_BASE_URL: baseUrl.href, PETSTORE_API_KEY: key };
  const isWindows = context.platform === 'win32';
  const lines = Object.entries(variables).map(([name, value]) =>
    isWindows ? `$env:${name} = '${value}'` : `export ${name}=${value}`,
  );
  await output.print({ data: variables, columns: Object.keys(variables), lines });
  notice(report, `sandbox running with the rate limits of the ${plan} plan; press Ctrl-C to stop`);
}

/** Resolves never; ends with the signal that stops the server, which is no failure to speak of. */
async function interrupted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Exit(interruptedFailure(signal, {}).exitCode);
}
