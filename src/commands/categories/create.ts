import { Exit, Failure, nothingSent, usageFailure, withDetails } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { categoryColumns, pickContent } from '../../fields.ts';
import type { Entry } from '../../import/ledger.ts';
import { describeOlder, fetchList, isNewCategory, type Looking } from '../../import/lookup.ts';
import { foldName, plan } from '../../import/plan.ts';
import type { Item } from '../../import/rows.ts';
import { computeRestMs, defaultSettleTimes, describeUnknown, settle } from '../../import/settle.ts';
import type { Turn } from '../../import/turn.ts';
import { findMismatch } from '../../json/check.ts';
import { readCategories } from '../../service/client.ts';
import { createCategory } from '../../service/endpoints.ts';
import { type Category, NewCategory } from '../../service/resources.ts';
import type { Session } from '../../session/session.ts';
import { onProfile } from '../../session/settings.ts';
import { duration } from '../../time.ts';
import { showRequest } from '../show-request.ts';
import type { Verb } from '../verb.ts';
import { openLedger, openTurn } from './open-import.ts';

const { settleMs } = defaultSettleTimes;

type Options = {
  readonly description?: string;
  readonly ifMissing?: boolean;
  readonly dryRun?: boolean;
};

type Creation = Looking & {
  readonly item: Item;
  readonly turn: Turn | undefined;
  /** What was created here under this name. */
  entries: readonly Entry[];
  /** The last list before the create; empty without --if-missing. */
  before: readonly Category[];
  /** A request may still create the category after the last list was read. */
  isUnsettled: boolean;
};

type Found = { readonly category: Category; readonly isNew: boolean };

export const create: Verb = {
  description:
    'Create a category, and print it with its id.\n\nNames are not unique: without --if-missing a second "ferret" is created, and the service cannot delete it.',
  takes: [['<name>', 'name of the category, for example rabbit']],
  options: [
    ['-d, --description <text>', 'description of the category'],
    [
      '--if-missing',
      'if the name exists, print that category and create nothing; sends one more request if it does not',
    ],
    ['--dry-run', 'print the request without sending it; with --if-missing only if needed'],
  ],
  examples: [
    "petstore categories create ferret --description 'Steals socks'",
    'petstore categories create ferret --if-missing',
    'id=$(petstore categories create ferret --query id -o raw)',
  ],
  notes: ['Exit code 6: it may have been created. Run it again with --if-missing.'],
  run: createOne,
};

async function createOne(
  session: Session,
  name: string,
  { description, ifMissing = false, dryRun = false }: Options,
): Promise<void> {
  const { context, output, report } = session;
  if (!dryRun || ifMissing) output.checkColumns(categoryColumns);
  const body = validate({ name, ...(description !== undefined && { description }) });
  const client = await session.client();
  const request = client.prepare(createCategory, { body });
  if (dryRun && !ifMissing) return showRequest(output, request);

  const creation: Creation = {
    context,
    client,
    report,
    settleMs,
    maxWaitMs: 0,
    ledger: await openLedger(session),
    item: { ...body, line: 1, index: 0, fate: 'create' },
    turn: ifMissing && !dryRun ? await openTurn(session, 'creating') : undefined,
    entries: [],
    before: [],
    isUnsettled: false,
  };
  if (dryRun) {
    const category = await find(creation);
    if (category) return output.print({ record: category, columns: categoryColumns });
    notice(report, `"${name}" does not exist; this would create it`);
    return showRequest(output, request);
  }
  const { category, isNew } = await (ifMissing ? createMissing(creation) : send(creation));

  const where = isNew ? onProfile(session) : '';
  if (where) notice(report, `created${where}`);
  if (category.name !== name) warn(report, `the service changed the name to "${category.name}"`);
  await output.print({ record: category, columns: categoryColumns }).catch((error) => {
    throw isNew ? unprintedFailure(error, category) : error;
  });
}

function validate(category: NewCategory): NewCategory {
  const mismatch = findMismatch(NewCategory, category);
  if (mismatch) throw usageFailure(`invalid category: ${mismatch}`);
  if (Object.values(category).some((text) => text.includes('\ufffd'))) {
    throw usageFailure(
      'invalid category: contains bytes that are not valid UTF-8, or U+FFFD in their place',
    );
  }
  return category;
}

/** Creates a category unless one has its name. Meanwhile no other petstore process creates by name. */
async function createMissing(creation: Creation): Promise<Found> {
  const { turn, item, report } = creation;
  try {
    await turn?.look();
    const old = (await find(creation)) ?? (await takeTurn(creation));
    if (old) return { category: old, isNew: false };
    if (item.lookAlike !== undefined) warn(report, describeLookAlike(creation));
    return await send(creation);
  } finally {
    await turn?.release(creation.isUnsettled);
  }
}

/** Waits for the turn, and lists again if anybody may have created the category since the last list. */
async function takeTurn(creation: Creation): Promise<Category | undefined> {
  const { context, report, turn } = creation;
  await turn?.take();
  if (!turn?.hasNews) return undefined;
  const restMs = computeRestMs(context.uptime(), turn.predecessorSeenAt);
  if (restMs > 0) {
    const why = 'another petstore process did not finish, and may have created the same name';
    warn(report, `${why}: checking the list of categories in ${duration(restMs)}`);
    await settle(context, report, restMs, describeUnknown(1));
  }
  const old = await find(creation);
  await turn.afterList();
  return old;
}

/** Looks for the category in a new list, also under the name that the service has made of it. */
async function find(creation: Creation): Promise<Category | undefined> {
  const { report, ledger, item } = creation;
  creation.entries = ledger.read([item.name]);
  creation.before = await list(creation).catch((error) => {
    throw withDetails(error, nothingSent);
  });
  plan([item], creation.before, creation.entries);
  const found = creation.before.find(({ id }) => String(id) === item.id);
  if (found) notice(report, `"${item.name}" already exists`);
  return found;
}

/** Returns a list that has what the last one had. */
function list(creation: Creation): Promise<Category[]> {
  const { before, entries } = creation;
  const known = before.map(({ id, name }) => ({ id: String(id), name, as: name }));
  return fetchList(creation, known, entries);
}

function describeLookAlike({ before, item: { name, lookAlike } }: Creation): string {
  const { id } = before.find((category) => category.name === lookAlike) ?? {};
  return `"${name}" is similar to "${lookAlike}" (id ${id}), which exists`;
}

async function send(creation: Creation): Promise<Found> {
  const { context, report, client, item, turn, before } = creation;
  const hooks = { beforeSending: () => turn?.confirm() };
  const create = () => client.call(createCategory, { body: pickContent(item) }, hooks);
  try {
    const category = await (turn ? turn.send(create, context.signal) : create());
    const isNew = isNewCategory(category, item.name, new Set(before.map(({ id }) => id)));
    if (isNew) record(creation, category);
    else notice(report, `${describeOlder(category)}: nothing was created`);
    return { category, isNew };
  } catch (error) {
    if (!(error instanceof Failure) || error.details.outcome !== 'unknown') throw error;
    creation.isUnsettled = true;
    // After Ctrl-C, report the unknown outcome at once.
    if (error.kind !== 'outcome_unknown') throw error;
    return { category: await lookFor(creation, error), isNew: true };
  }
}

/** Never throws: the category is printed in any case. Without an entry the turn stays unsettled, so that the next process waits. */
function record(creation: Creation, { id, name }: Category): void {
  const { item, ledger } = creation;
  try {
    ledger.add({ name: item.name, id: String(id), as: name === item.name ? undefined : name });
  } catch {
    // Then the sync fails, too.
  }
  creation.isUnsettled = !ledger.sync();
}

/** Lists after an unknown outcome, at once and when the service has settled. Throws unless the list shows one category, a new one. */
async function lookFor(creation: Creation, failure: Failure): Promise<Category> {
  const { report, client, item, turn } = creation;
  const isExact = ({ name }: Category) => name === item.name;
  warn(report, `${failure.message}. It may have been created; checking the list`);
  let shown = await readCategories(client, { decides: true }).catch((): Category[] => []);
  let after = `${failure.message}; the list shows`;
  if (!shown.some(isExact)) {
    shown = await settleAndList(creation, failure);
    after = `${failure.message}; after ${duration(settleMs)} the list shows`;
    creation.isUnsettled = false;
  }
  const similar = shown.filter(({ name }) => foldName(name) === foldName(item.name));
  const [category, ...copies] = similar.filter(isExact);
  // Without --if-missing one of this name may have existed before.
  if (category && turn && copies.length === 0) {
    notice(report, `created with id ${category.id}, as the list shows`);
    record(creation, category);
    return category;
  }
  const [first] = similar;
  if (!first) {
    const consequence = 'It was probably not created.';
    const hint = 'To retry, run the same command again with --if-missing.';
    throw failure.with({ consequence, hint }, `${after} no category with this name`);
  }
  const found = similar.map(({ id, name }) => `"${name}" with id ${id}`).join(', ');
  const hint = `Check before you retry. Run: petstore categories get ${first.id}`;
  throw failure.with({ hint }, `${after} ${found}, created by this request or by another one`);
}

async function settleAndList(creation: Creation, failure: Failure): Promise<Category[]> {
  try {
    await settle(creation.context, creation.report, settleMs, describeUnknown(1));
    return await list(creation);
  } catch (reason) {
    const isOfList = reason instanceof Failure && reason.kind === 'service';
    const isNews = isOfList && reason.message !== failure.message;
    throw isNews ? failure.with({}, `${failure.message}; ${reason.message}`) : failure;
  }
}

function unprintedFailure(error: unknown, { id, name }: Category): Failure {
  const consequence = `The category was created with id ${id}.`;
  const failure = withDetails(error, { outcome: 'created', consequence });
  if (failure instanceof Failure) return failure;
  const message = `created "${name}" with id ${id}; the result could not be printed`;
  const exitCode = error instanceof Exit ? error.exitCode : undefined;
  return new Failure('output', message, { outcome: 'created', exitCode, cause: error });
}
