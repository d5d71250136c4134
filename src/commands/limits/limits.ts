import { type Command, Option } from 'commander';
import type { Client } from '../../api/client.ts';
import { listCategories } from '../../api/endpoints.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { readClock } from '../../pacing/clock.ts';
import { type LimitStatus, limitStatus } from '../../pacing/limit-status.ts';
import { describeWait } from '../../pacing/words.ts';
import type { Host } from '../../session/host.ts';
import { chooseLimitStore } from '../../session/limit-log.ts';
import { profileFlag } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { wordFor } from '../../text/secret.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addColumns } from '../columns.ts';
import { addExamples } from '../examples.ts';
import { columns, printOverview } from './overview.ts';

type Options = { readonly refresh?: boolean; readonly reset?: boolean; readonly for?: number };

/** Of what --for prints. */
const forecastColumns = [
  ...['requests', 'plan', 'todayMs', 'moreDays', 'doneAt', 'nextPlan', 'windows', 'wait'],
];

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore limits',
    'petstore limits --for 2437',
    'petstore limits --json | jq .minute.remaining',
  ]);
  addColumns(command, columns);
  command
    .option('--refresh', 'send one request to get the current values')
    .option('--reset', 'discard all recorded values, including a wait in force')
    .addOption(
      new Option('--for <requests>', 'show when that many requests would be done').argParser(
        parseRequests,
      ),
    )
    .action(async ({ refresh = false, reset = false, for: requests }: Options) =>
      inSession(host, command, async (session) => {
        const { connect, limit, output } = session;
        output.checkColumns(requests === undefined ? columns : forecastColumns);
        if (reset) await (await limit()).append({ k: 'clear', ...readClock(host.context) });
        const refused = refresh ? await hearFrom(await connect()) : undefined;

        if (requests === undefined) await printLimits(session, { refresh, reset });
        else {
          const { printForecast } = await import('./for.ts').catch(unloadable);
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
  const store = chooseLimitStore(session);
  const shared = store && { address: store.name, answers: log.isRemote?.() ?? false };
  const missing = refresh || reset ? undefined : missingValues(status);
  if (missing) {
    notice(report, `${missing} (one request): petstore limits --refresh${profileFlag(profile)}`);
  }
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

/** Why there is nothing to show of what is left now, and what to do about it; a wait in force is to be waited out first. */
function missingValues({ minute, day, wait }: LimitStatus): string | undefined {
  if (wait || minute.remaining !== undefined || day.remaining !== undefined) return undefined;
  const isEmpty = [minute, day].every(
    ({ limit, used }) => limit === undefined && used === undefined,
  );
  return isEmpty
    ? 'no values recorded yet; to get them'
    : 'the recorded windows have ended; to get current values';
}
