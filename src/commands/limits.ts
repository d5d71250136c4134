import type { Command } from 'commander';
import type { Client } from '../api/client.ts';
import { listCategories } from '../api/endpoints.ts';
import { Failure } from '../errors.ts';
import { notice, warn } from '../events.ts';
import { type ExactNumber, exact, type JsonObject } from '../json/exact.ts';
import { readClock } from '../pacing/clock.ts';
import { type LimitStatus, limitStatus, type WindowStatus } from '../pacing/limit-status.ts';
import { describeWait, inWords, waitReason } from '../pacing/words.ts';
import type { Host } from '../session/host.ts';
import { chooseLimitStore } from '../session/limit-log.ts';
import { profileFlag } from '../session/profile.ts';
import { inSession } from '../session/session.ts';
import { isoEnd, isoTime } from '../text/iso-time.ts';
import { addColumns } from './columns.ts';
import { addExamples } from './examples.ts';

type Options = { readonly refresh?: boolean; readonly reset?: boolean };

const columns = ['window', 'limit', 'remaining', 'used', 'resetAt', 'source'] as const;

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore limits',
    'petstore limits --refresh',
    'petstore limits --json | jq .minute.remaining',
  ]);
  addColumns(command, columns);
  command
    .option('--refresh', 'send one request to get the current values')
    .option('--reset', 'discard all recorded values, including a wait in force')
    .action(async ({ refresh, reset }: Options) =>
      inSession(host, command, async (session) => {
        const { connect, limit, output, report } = session;
        output.checkColumns(columns);
        const { context } = host;
        const log = await limit();

        if (reset) await log.append({ k: 'clear', ...readClock(context) });
        const refused = refresh ? await hearFrom(await connect()) : undefined;

        const status = limitStatus(await log.read(), readClock(context));
        const store = chooseLimitStore(session);
        const shared = store && { address: store.name, answers: log.isRemote?.() ?? false };
        const rows = { minute: fields(status.minute), day: fields(status.day) };
        const wait = waitFields(status);
        if (!refresh && !reset && isEmpty(status)) {
          const flag = profileFlag(session.profile);
          notice(
            report,
            `no values recorded yet; to get them (one request): petstore limits --refresh${flag}`,
          );
        }
        if (status.wait) warn(report, describeWait(status.wait, context.now()));
        if (shared?.answers) notice(report, `shared with other machines through ${shared.address}`);
        else if (shared && reset) {
          warn(
            report,
            `reset on this machine only: ${shared.address} is not responding and keeps its values`,
          );
        }
        await output.overview(
          {
            ...rows,
            inFlight: exact(status.inFlight),
            wait: wait ?? null,
            store: shared ?? null,
          },
          Object.entries(rows).map(([window, row]) => ({ window, ...row })),
          columns,
        );
        if (refused) throw refused;
      }),
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

/** Whether nothing is known of either window. */
function isEmpty({ minute, day }: LimitStatus): boolean {
  return [minute, day].every(({ limit, used }) => limit === undefined && used === undefined);
}

function fields({ limit, remaining, used, resetAt, source }: WindowStatus): JsonObject {
  return {
    limit: known(limit),
    remaining: known(remaining),
    used: known(used),
    resetAt: resetAt === undefined ? undefined : isoTime(resetAt),
    source,
  };
}

function known(value: number | undefined): ExactNumber | undefined {
  return value === undefined ? undefined : exact(value);
}

function waitFields({ wait }: LimitStatus) {
  return (
    wait && {
      reason: waitReason(wait.reason),
      why: inWords(wait),
      ...(wait.since !== undefined && { since: isoTime(wait.since) }),
      until: isoEnd(wait.until),
    }
  );
}
