import { type Command, Option } from 'commander';
import type { Client } from '../../api/client.ts';
import { listCategories } from '../../api/endpoints.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { readClock } from '../../pacing/clock.ts';
import { limitStatus } from '../../pacing/limit-status.ts';
import { describeWait } from '../../pacing/words.ts';
import type { Host } from '../../session/host.ts';
import { chooseLimitStore } from '../../session/limit-log.ts';
import { inSession, type Session } from '../../session/session.ts';
import { wordFor } from '../../text/secret.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import { columns, missingValues, printOverview, sharedThrough } from './overview.ts';

type Options = {
  readonly refresh?: boolean;
  readonly reset?: boolean;
  readonly for?: number;
  readonly watch?: boolean;
};

/** Of what --for prints. */
const forecastColumns = [
  ...['requests', 'plan', 'todayMs', 'moreDays', 'doneAt', 'nextPlan', 'windows', 'wait'],
];

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore limits',
    'petstore limits --for 2437',
    'petstore limits --query minute.remaining -o raw',
  ]);
  addColumns(command, columns, { '--for': forecastColumns });
  command
    .option('--refresh', 'send one request to get the current values')
    .option('--reset', 'discard all recorded values, including a wait in force')
    .addOption(
      new Option('--for <requests>', 'show when that many requests would be done').argParser(
        parseRequests,
      ),
    )
    .option('--watch', 'show the limit as it changes until Ctrl-C, without sending requests')
    .action(async ({ refresh = false, reset = false, for: requests, watch }: Options) =>
      inSession(host, command, async (session) => {
        if (watch) {
          refuseBeside({ refresh, reset, for: requests !== undefined });
          const { watchLimits } = await import('./watch.ts');
          return watchLimits(session);
        }
        const { connect, limit, output } = session;
        output.checkColumns(requests === undefined ? columns : forecastColumns);
        if (reset) await (await limit()).append({ k: 'clear', ...readClock(host.context) });
        const refused = refresh ? await hearFrom(await connect()) : undefined;

        if (requests === undefined) await printLimits(session, { refresh, reset });
        else {
          const { printForecast } = await import('./for.ts');
          await printForecast(session, requests);
        }
        if (refused) throw refused;
      }),
    );
}

/** More than anything that is counted in requests, and few enough to be counted exactly. */
const mostRequests = 1e12;

function parseRequests(text: string): number {
  const requests = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (requests >= 1 && requests <= mostRequests) return requests;
  throw usageFailure(
    `invalid number of requests for --for: ${wordFor(text)}`,
    'Must be a whole number from 1 to 1000000000000.',
  );
}

/** @throws Failure (usage) where one of these options is given */
function refuseBeside(options: Readonly<Record<string, boolean>>): void {
  const given = Object.keys(options).find((name) => options[name]);
  if (given === undefined) return;
  throw usageFailure(`--watch cannot be used with --${given}`, 'Remove one of the two.');
}

/** Spends a request; a limit that does not let it through is what is shown then, and the failure after it. */
async function hearFrom(client: Client): Promise<Failure | undefined> {
  try {
    await client.call(listCategories, {});
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'rate_limited') return error;
    throw error;
  }
}

async function printLimits(
  session: Session,
  { refresh, reset }: { readonly refresh: boolean; readonly reset: boolean },
): Promise<void> {
  const { host, limit, output, profile, report } = session;
  const { context } = host;
  const log = await limit();
  const status = limitStatus(await log.read(), readClock(context));
  const shared = sharedThrough(chooseLimitStore(session), log);
  const missing = refresh || reset ? undefined : missingValues(status, profile);
  if (missing) notice(report, missing);
  if (status.wait) warn(report, describeWait(status.wait, context.now()));
  if (shared?.answers) notice(report, `shared with other machines through ${shared.address}`);
  else if (shared && reset) {
    warn(
      report,
      `reset on this machine only: ${shared.address} is not responding and keeps its values`,
    );
  }
  await printOverview(output, status, shared);
}
