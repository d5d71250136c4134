import { notice, warn } from '../events.ts';
import type { JsonObject } from '../json/json.ts';
import { emptyState, isSameReset } from '../limit/state.ts';
import { readStatus, type WindowStatus } from '../limit/status.ts';
import { describeReason, describeWait } from '../limit/words.ts';
import { readCategories } from '../service/client.ts';
import { chooseSharedStore } from '../session/connect.ts';
import type { Session } from '../session/session.ts';
import { targetFlags } from '../session/settings.ts';
import { isoTime } from '../time.ts';
import type { Verb } from './verb.ts';

type Options = { readonly refresh?: boolean; readonly reset?: boolean };

const columns = ['window', 'limit', 'remaining', 'used', 'resetAt', 'source'] as const;

export const limits: Verb = {
  options: [
    ['--refresh', 'send one request to get the current values'],
    [
      '--reset',
      'forget everything known, even a wait that the service asked for; only if you know that a ban was lifted or the plan has changed',
    ],
  ],
  examples: ['petstore limits', "petstore limits --query 'items[0].remaining' -o raw"],
  notes: [
    'Sends no request without --refresh. The source of a value is service (a response had it), own count (of the requests from this state folder) or unknown.',
  ],
  run: showLimits,
};

async function showLimits(session: Session, { refresh, reset }: Options): Promise<void> {
  const { context, limits, output, report } = session;
  output.checkColumns(columns);
  const limit = await limits();
  if (reset) {
    await limit.change(({ permits }) => [{ ...emptyState, permits }, undefined]);
  }
  if (refresh) await readCategories(await session.client());
  const { minute, day, wait, inFlight } = await readStatus(limit);
  const isKnown = [minute, day].some(({ remaining }) => remaining !== undefined);
  // During a wait, a request would only extend it.
  if (!(refresh || reset || wait || isKnown)) {
    const command = `petstore limits --refresh${targetFlags(session)}`;
    notice(report, `no current values; to get them (one request): ${command}`);
  }
  if (wait) warn(report, describeWait(wait, context.now()));

  const store = chooseSharedStore(session);
  if (store) notice(report, `shared with other machines through ${store.name}`);

  const plan = session.settings.get('plan')?.value;

  const now = context.now();
  const rows = [
    { window: 'minute', ...windowFields(minute, now) },
    { window: 'day', ...windowFields({ ...day, limit: day.limit ?? plan?.day }, now) },
  ];
  await output.print({
    list: [rows],
    columns,
    head: {
      inFlight,
      wait: wait
        ? { reason: wait.reason, why: describeReason(wait), until: isoTime(now + wait.waitMs) }
        : null,
      store: store ? { address: store.name } : null,
    },
  });
}

function windowFields(
  { limit, remaining, used, resetMs, serviceResetAt, source }: WindowStatus,
  now: number,
): JsonObject {
  const end = resetMs === undefined ? undefined : now + resetMs;
  // If the clocks agree, the event of the response said the service's time.
  const resetAt = isSameReset(serviceResetAt, end) ? serviceResetAt : end;
  return {
    limit,
    remaining,
    used,
    resetAt: resetAt === undefined ? undefined : isoTime(resetAt),
    source,
  };
}
