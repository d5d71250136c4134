import { readCategories } from '../../../api/client.ts';
import { Failure } from '../../../errors.ts';
import { warn } from '../../../events.ts';
import { type Ending, executePlan } from '../../../import/execute.ts';
import { isOtherKey, mayForget } from '../../../import/forget.ts';
import type { Journal } from '../../../import/journal.ts';
import { checkJournals, journalPath, readState } from '../../../import/journal-files.ts';
import { categoriesOfOurs } from '../../../import/lookup.ts';
import { outcomesOf } from '../../../import/outcome.ts';
import { dropSimilar, makePlan } from '../../../import/plan.ts';
import { findMissing } from '../../../import/reconcile.ts';
import { importFailure, notBegun } from './failure.ts';
import { finishJournal, type ImportRequest } from './import-request.ts';
import { knownLimit } from './known-limit.ts';
import { prepare } from './prepare.ts';
import { followProgress } from './progress.ts';
import { printOutcomes, printPlan, unprintedOutcomes } from './report.ts';
import { saySummary } from './summary.ts';
import { planInWords, say } from './words.ts';

/** Shows what would be done, by one request and without a trace. */
export async function preview(request: ImportRequest): Promise<void> {
  const { session, input, identity, folder } = request;
  checkJournals(folder, session.context.uid);
  const state = readState(journalPath(folder, identity));
  const list = await readCategories(await session.client());

  const missing = findMissing(input.rows, state, list);
  const otherKey = isOtherKey(state, request.fingerprint);
  if (mayForget(identity.mode, state, missing, otherKey)) {
    for (const row of missing) state.done.delete(row);
  } else if (missing.length > 0) {
    say(session, [`${categoriesOfOurs(missing.length)} missing from the list`]);
  }
  const plan = dropSimilar(
    makePlan(identity.mode, input.rows, list, state),
    ({ listed }) => listed,
  );
  const limit = await knownLimit(session, request.plan);
  // The run itself begins with a list of its own.
  say(session, planInWords(plan, input, limit, 0));
  await printPlan(session.output, plan, input, limit);
}

/** Makes the plan, asks, carries it out and prints what became of each row. @throws Failure when not all of it is done */
export async function runImport(request: ImportRequest, journal: Journal): Promise<void> {
  const { session, input } = request;
  const { state } = journal;
  let onSettled = () => {};
  const { signal } = session.context;
  const { job, plan } = await prepare(request, journal, () => onSettled()).catch((error) => {
    throw notBegun(error, journal, input.rows.length, signal);
  });

  const { uptime } = session.context;
  const start = uptime();
  let ending: Ending = { stop: undefined, plan, lookedUp: true };
  if (plan.create.length > 0) {
    const progress = await followProgress(request, plan);
    onSettled = progress.step;
    ending = await executePlan(job, plan);
    progress.end();
  }

  const outcomes = outcomesOf(ending.plan, state, new Set(job.copies.keys()));
  const failure = importFailure(ending, journal.path, outcomes, signal);
  if (!ending.stop) await finishJournal(request, journal, outcomes);
  // Before the result: its reader may be gone, or a pager may draw it on the same terminal.
  if (!failure && plan.create.length > 0) saySummary(session, outcomes, uptime() - start);
  await printOutcomes(session.output, outcomes, [...job.copies.values()], input).catch((error) => {
    if (!failure) throw unprintedOutcomes(error, outcomes, signal);
    // The failure counts more, but would not say why there is no result.
    if (error instanceof Failure) warn(session.report, error.message);
  });
  if (failure) throw failure;
}
