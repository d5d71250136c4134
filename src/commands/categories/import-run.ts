import { listCategories } from '../../api/endpoints.ts';
import { Failure } from '../../errors.ts';
import { carryOut, type Ending } from '../../import/carry-out.ts';
import type { Journal } from '../../import/journal.ts';
import { journalPath, readStanding, refuseOtherKey } from '../../import/journals.ts';
import { look, lookUpOpen, noteStrangers } from '../../import/lookup.ts';
import { count, type Outcome, outcomesOf } from '../../import/outcome.ts';
import { makePlan, type Plan } from '../../import/plan.ts';
import { thousands } from '../../output/number.ts';
import { isoTime } from '../../output/time.ts';
import { requestTimeout } from '../../session/connect.ts';
import { sandboxProfile } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { importFailure } from './import-failure.ts';
import { knownLimit } from './import-limits.ts';
import { begin, type Order } from './import-order.ts';
import { followProgress } from './import-progress.ts';
import { printOutcomes, printPlan } from './import-report.ts';
import { planInWords } from './import-words.ts';

/** Shows what would be done, by one request and without a trace. */
export async function preview({
  session,
  input,
  identity,
  folder,
  plan: named,
}: Order): Promise<void> {
  const client = await session.connect();
  const list = await client.call(listCategories, {});
  const standing = readStanding(journalPath(folder, identity));
  const plan = makePlan(identity.mode, input.rows, list, standing);
  const limit = await knownLimit(session, named);
  say(session, planInWords(plan, input, limit));
  await printPlan(session.output, plan, input, limit);
}

/** Makes the plan, asks, carries it out and prints what became of each row. @throws Failure when not all of it is done */
export async function bringIn(order: Order, journal: Journal): Promise<void> {
  const { session, input, identity } = order;
  const { standing } = journal;
  refuseOtherKey(standing, order.fingerprint);
  if (standing.header && !standing.finished) say(session, [resumption(journal)]);
  let onSettled = () => {};
  const job = { ...(await jobOf(order, journal)), onSettled: () => onSettled() };

  const list = await (standing.open.size > 0 ? lookUpOpen(job) : look(job));
  const plan = makePlan(identity.mode, input.rows, list, standing);
  const limit = await knownLimit(session, order.plan);
  say(session, planInWords(plan, input, limit));

  let ending: Ending = { stop: undefined, copies: [] };
  if (plan.create.length > 0) {
    if (!order.unasked) await agree(order, plan);
    if (!standing.header) begin(order, journal);
    noteStrangers(job, list, plan.create);
    await journal.commit();
    const progress = followProgress(session, plan, limit);
    onSettled = progress.step;
    ending = await carryOut(job, plan.create);
    progress.end();
  }

  const outcomes = outcomesOf(plan, standing);
  const counts = count(outcomes.map(({ outcome }) => outcome));
  const failure = importFailure(
    ending.stop,
    counts,
    input.rows.length,
    session.host.context.signal,
  );
  if (standing.header && !standing.finished && isFinished(order, counts)) {
    journal.add({ k: 'e', at: session.host.context.now() });
    await journal.commit();
  }
  await printOutcomes(session.output, outcomes, ending.copies, input).catch((error) => {
    throw failure ?? error;
  });
  if (failure) throw failure;
}

async function jobOf({ session, input, identity, settle }: Order, journal: Journal) {
  const { host, report, options } = session;
  return {
    context: host.context,
    client: await session.connect(),
    journal,
    rows: input.rows,
    mode: identity.mode,
    settle,
    timeout: requestTimeout(options),
    report,
  };
}

function say({ report }: Session, messages: readonly string[]): void {
  for (const message of messages) report({ event: 'notice', message });
}

function resumption({ standing: { header, done, open } }: Journal): string {
  const unknown = open.size > 0 ? `, the outcome of ${thousands(open.size)} is unknown` : '';
  const since = isoTime(header?.at ?? 0);
  return `going on with the import begun at ${since}: ${thousands(done.size)} rows are created${unknown}`;
}

/** @throws Failure (interrupted) when the answer is no */
async function agree({ session, identity }: Order, { create }: Plan): Promise<void> {
  const what = `${thousands(create.length)} ${create.length === 1 ? 'category' : 'categories'}`;
  const where = identity.address === sandboxProfile ? 'in the sandbox' : `at ${identity.address}`;
  if (await session.host.context.confirm(`Create ${what} ${where}?`)) return;
  throw new Failure('interrupted', 'not agreed to', {
    consequence: 'Nothing was created.',
    outcome: 'not_sent',
  });
}

/**
 * Whether nothing is left that another run would have to know of. Refused rows are to be corrected in the file, which then is
 * another one; where every row counts, those that were created must not be forgotten over that.
 */
function isFinished({ identity }: Order, counts: ReadonlyMap<Outcome, number>): boolean {
  const matters: Outcome[] = [
    'unknown',
    'left',
    ...(identity.mode === 'each' ? (['refused'] as const) : []),
  ];
  return matters.every((outcome) => !counts.has(outcome));
}
