import type { Category } from '../../../api/resources.ts';
import { Failure } from '../../../errors.ts';
import { isOtherKey, refuseOtherKey } from '../../../import/forget.ts';
import type { Job } from '../../../import/job.ts';
import type { Journal } from '../../../import/journal.ts';
import { fetchList, recordForeign, resolveOpen } from '../../../import/lookup.ts';
import { dropSimilar, makePlan, type Plan } from '../../../import/plan.ts';
import { mostInFlight } from '../../../pacing/decide.ts';
import type { Session } from '../../../session/session.ts';
import { sandboxProfile } from '../../../settings/values.ts';
import { formatCount, isoTime } from '../../../time.ts';
import { beginJournal, type ImportRequest } from './import-request.ts';
import { knownLimit } from './known-limit.ts';
import { planInWords, say } from './words.ts';

/** A plan that was made longer ago, in ms, is made anew before anything is sent by it. Who reads it needs some time. */
const fresh = 30_000;

export type Prepared = {
  readonly job: Job;
  readonly plan: Plan;
};

/**
 * All that comes before the first row is sent: what is unknown is looked up, the plan is made and shown, the user is asked,
 * and the journal begins.
 * @throws Failure, also when the answer is no
 */
export async function prepare(
  request: ImportRequest,
  journal: Journal,
  onSettled: () => void,
): Promise<Prepared> {
  const { session, input, identity } = request;
  const { uptime } = session.context;
  const { state } = journal;
  const otherKey = isOtherKey(state, request.fingerprint);
  if (otherKey) refuseOtherKey(state);
  if (state.header) say(session, [resumption(journal)]);
  const job: Job = {
    context: session.context,
    client: await session.client(),
    journal,
    rows: input.rows,
    mode: identity.mode,
    otherKey,
    settle: request.settle,
    concurrency: mostInFlight(undefined),
    report: session.report,
    copies: new Map(),
    onSettled,
  };

  let list = await (state.open.size > 0 ? resolveOpen(job) : fetchList(job));
  const planBy = (list: readonly Category[]) => {
    const plan = makePlan(identity.mode, input.rows, list, state);
    // Only a person can tell whether they are meant to be others.
    return request.assumeYes ? dropSimilar(plan, ({ listed }) => listed) : plan;
  };
  let plan = planBy(list);
  const limit = await knownLimit(session, request.plan);
  say(session, planInWords(plan, input, limit, 1));

  if (plan.create.length > 0) {
    const plannedAt = uptime();
    if (!request.assumeYes) await confirmOrCancel(session, questionOf(request, plan));
    if (uptime() - plannedAt > fresh) {
      list = await fetchList(job);
      plan = planBy(list);
    }
    if (!state.header) beginJournal(request, journal);
  }
  if (state.header) recordForeign(job, list, plan.create);
  await journal.commit();
  // More than a window takes would only wait for each other.
  const most = limit.minute?.limit;
  const concurrency = Math.min(mostInFlight(most), most ?? Number.POSITIVE_INFINITY);
  return { job: { ...job, concurrency }, plan };
}

function resumption({ state: { header, done, open, finished } }: Journal): string {
  const unknown = open.size > 0 ? `, ${formatCount(open.size)} with unknown outcome` : '';
  const started = `started at ${isoTime(header?.at ?? 0)}`;
  const rows = `${done.size === 1 ? '1 row' : `${formatCount(done.size)} rows`} created${unknown}`;
  return finished
    ? `this import was ${started} and is finished: ${rows}`
    : `resuming the import ${started}: ${rows}`;
}

/** @throws Failure (interrupted, exit code 2) when the answer is no */
async function confirmOrCancel({ context }: Session, question: string): Promise<void> {
  if (await context.confirm(question)) return;
  throw new Failure('interrupted', 'cancelled', { outcome: 'not_sent', exitCode: 2 });
}

function questionOf({ identity }: ImportRequest, { create, similar }: Plan): string {
  const what = `${formatCount(create.length)} ${create.length === 1 ? 'category' : 'categories'}`;
  const where = identity.address === sandboxProfile ? 'in the sandbox' : `at ${identity.address}`;
  const listed = similar.filter(({ listed }) => listed).length;
  const names = listed === 1 ? 'an existing name' : 'existing names';
  const some = listed > 0 ? `, ${formatCount(listed)} of them similar to ${names}` : '';
  return `Create ${what} ${where}${some}?`;
}
