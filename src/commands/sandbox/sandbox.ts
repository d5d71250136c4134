import { once } from 'node:events';
import { InvalidArgumentError } from 'commander';
import { readText } from '../../disk/files.ts';
import { Exit, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import { JsonError, parseJson } from '../../json/json.ts';
import { type Plan, type PlanName, plans } from '../../sandbox/quota.ts';
import { createState, type SandboxState } from '../../sandbox/sandbox-state.ts';
import { serveSandbox } from '../../sandbox/server.ts';
import { answer, type SandboxRequest } from '../../sandbox/service.ts';
import type { Session } from '../../session/session.ts';
import { listProfiles } from '../../session/settings.ts';
import type { Verb } from '../verb.ts';
import { runProgram } from './run-program.ts';

type Options = { readonly port?: number; readonly plan?: PlanName; readonly data?: string };

export const sandbox: Verb = {
  usage: '[options] [-- command...]',
  takes: [['[command...]', 'program to run against a fresh sandbox']],
  options: [
    ['--port <number>', 'port to listen on (default: a free one)', parsePort],
    ['--plan <name>', 'plan whose rate limits apply (default: free)', Object.keys(plans)],
    ['--data <file>', 'JSON file with initial categories, pets and orders'],
  ],
  examples: [
    'petstore sandbox -- ./script.sh',
    'petstore sandbox -- petstore categories list',
    'petstore sandbox --port 4010 --plan pro --data pets.json',
  ],
  notes: [
    'Without a command, prints two lines to paste into another shell (on Windows into PowerShell) and runs until Ctrl-C. ' +
      'With a command, runs it with PETSTORE_BASE_URL and PETSTORE_API_KEY set, and exits with its exit code.',
    'Each run begins with the same sample data. To use your own: --data with {"categories": [{"name": "dog"}], "pets": [...], ' +
      '"orders": [...]}, or an array of categories; anything you leave out is filled with sample data.',
    '--profile sandbox is another sandbox, which keeps its data in the state folder (petstore doctor shows it). To start ' +
      'again from the sample data, delete sandbox in that folder.',
  ],
  run: runSandbox,
};

async function runSandbox(
  session: Session,
  program: string[],
  { port = 0, data, plan = 'free' }: Options,
): Promise<never> {
  const { context, isSeparated } = session;
  // A variable may have been empty: a sandbox without a program would serve for ever.
  const first = program[0] ?? (isSeparated ? '' : undefined);
  if (first === '') throw usageFailure('no program given: nothing follows --');
  const state = data === undefined ? createState({}, plans[plan]) : readState(data, plans[plan]);
  const respond = (request: SandboxRequest) => answer(state, request);
  const { baseUrl, key, server } = await serveSandbox(respond, context, port);
  const variables = { PETSTORE_BASE_URL: baseUrl.href, PETSTORE_API_KEY: key };
  try {
    if (program.length > 0) {
      const profiles = listProfiles(session.settings.file);
      throw new Exit(await runProgram(variables, program, context, profiles));
    }
    await announce(session, variables, plan);
    if (!context.signal.aborted) await once(context.signal, 'abort');
    throw new Exit(context.signal.reason.exitCode);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('Write a number from 0 to 65535.');
}

const maxDataBytes = 96 * 1024 * 1024;

function readState(path: string, plan: Plan): SandboxState {
  const text = readText(path, maxDataBytes);
  if (text === undefined) throw usageFailure(`file not found: ${path}`);
  try {
    return createState(parseJson(text), plan);
  } catch (error) {
    const kind = error instanceof JsonError ? 'JSON' : 'data';
    const reason = error instanceof Error ? error.message : error;
    throw usageFailure(`invalid ${kind} in ${path}: ${reason}`);
  }
}

async function announce(
  { context, output, report }: Session,
  variables: Readonly<Record<string, string>>,
  plan: PlanName,
): Promise<void> {
  const text = Object.entries(variables).map(([name, value]) =>
    context.platform === 'win32' ? `$env:${name} = '${value}'` : `export ${name}=${value}`,
  );
  await output.print({ text, record: variables, columns: Object.keys(variables) });
  notice(report, `sandbox running with the rate limits of the ${plan} plan; press Ctrl-C to stop`);
}
