import {
  Failure,
  nothingCreated,
  unprintedFailure,
  usageFailure,
  withDetails,
} from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { type Content, categoryColumns, optionalFields, pickContent } from '../../fields.ts';
import { decideFates, foldName } from '../../import/fates.ts';
import type { Entry, Ledger } from '../../import/ledger.ts';
import { describeOlder, fetchList, isNewCategory } from '../../import/lookup.ts';
import type { FindRecent } from '../../import/recent-creates.ts';
import type { Item } from '../../import/rows.ts';
import { defaultSettleTimes, describeUnknown, settle } from '../../import/settle.ts';
import { listIsOld } from '../../import/turn.ts';
import { findMismatch } from '../../json/check.ts';
import type { RateLimitHooks } from '../../request/exchange.ts';
import { type Client, readCategories } from '../../service/client.ts';
import { createCategory } from '../../service/endpoints.ts';
import { type Category, NewCategory } from '../../service/resources.ts';
import type { Session } from '../../session/session.ts';
import { onProfile } from '../../session/settings.ts';
import { duration } from '../../time.ts';
import { showRequest } from '../show-request.ts';
import type { Verb } from '../verb.ts';
import { openLedger, openTurn } from './open-import.ts';

const { settleMs, settleAfterKillMs } = defaultSettleTimes;

type Options = Partial<Content> & {
  readonly ifMissing?: boolean;
  readonly dryRun?: boolean;
};

type Creation = {
  readonly session: Session;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly body: Content;
  /** The last list, and what had been created here under the name by then. */
  list?: readonly Category[];
  entries: readonly Entry[];
  lookAlike?: Category | undefined;
  /** A request may still create the category after the last list was read. */
  isUnsettled: boolean;
};

type Found = { readonly category: Category; readonly isNew: boolean };

export const create: Verb = {
  description:
    'Create a category, and print it with its id.\n\nNames are not unique: without --if-missing a second "ferret" is created, and the service cannot delete it.',
  takes: [['<name>', 'name of the category, for example rabbit']],
  options: [
    ...optionalFields.map((field) => {
      const short = field === 'description' ? '-d, ' : '';
      return [`${short}--${field} <text>`, `${field} of the category`] as const;
    }),
    [
      '--if-missing',
      'if the name exists, print that category and create nothing; sends one more request if it does not',
    ],
    [
      '--dry-run',
      'print the request without sending it; --if-missing first checks whether the name exists',
    ],
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
  { ifMissing = false, dryRun = false, ...texts }: Options,
): Promise<void> {
  const { output, report } = session;
  if (!dryRun || ifMissing) output.checkColumns(categoryColumns);
  const body = validate(pickContent({ ...texts, name }));
  const client = await session.client();
  const request = client.prepare(createCategory, body);
  if (dryRun && !ifMissing) return showRequest(output, request);

  const ledger = await openLedger(session);
  const creation: Creation = { session, client, ledger, body, entries: [], isUnsettled: false };
  if (dryRun) {
    const category = await find(creation);
    if (category) return output.print({ record: category, columns: categoryColumns });
    warnOfLookAlike(creation);
    notice(report, `"${name}" does not exist; this would create it`);
    return showRequest(output, request);
  }
  const { category, isNew } = await (ifMissing ? createMissing(creation) : send(creation));

  const where = isNew ? onProfile(session) : '';
  if (where) notice(report, `created${where}`);
  if (category.name !== name) warn(report, `the service changed the name to "${category.name}"`);
  await output.print({ record: category, columns: categoryColumns }).catch((error) => {
    if (!isNew) throw error;
    throw unprintedFailure(error, `created "${category.name}" with id ${category.id}`);
  });
}

function validate(category: Content): Content {
  const mismatch = findMismatch(NewCategory, category);
  if (mismatch) throw usageFailure(`invalid category: ${mismatch.words}`);
  if (Object.values(category).some((text) => text.includes('\ufffd'))) {
    throw usageFailure(
      'invalid category: contains bytes that are not valid UTF-8, or U+FFFD in their place',
    );
  }
  return category;
}

/** Creates a category unless one has its name. Meanwhile no other petstore process creates by name. */
async function createMissing(creation: Creation): Promise<Found> {
  const { session } = creation;
  const isSettled = () => !creation.isUnsettled;
  const turn = await openTurn(session, { doing: 'creating', settleAfterKillMs, isSettled });
  const look = (findRecent: FindRecent) => find(creation, findRecent);
  const attempt = async (): Promise<Found> => {
    for (let category = await turn.look(look); ; category = await turn.list(look)) {
      if (category) return { category, isNew: false };
      const { signal } = session.context;
      const sent = turn.send((hooks) => send(creation, hooks), signal);
      const created = await sent.catch((error) => {
        if (error !== listIsOld) throw error;
      });
      if (created?.isNew) turn.noteCreated(creation.body.name, String(created.category.id));
      if (created) return created;
    }
  };
  const found = await turn.run(attempt).catch((error) => {
    // The list was sent.
    throw isUnsent(error) && creation.list ? error.with(nothingCreated) : error;
  });
  if (found.isNew) warnOfLookAlike(creation);
  return found;
}

function warnOfLookAlike({ session, body, lookAlike }: Creation): void {
  if (!lookAlike) return;
  const { id, name } = lookAlike;
  warn(session.report, `"${body.name}" is similar to "${name}" (id ${id}), which exists`);
}

function isUnsent(error: unknown): error is Failure {
  return error instanceof Failure && error.details.outcome === 'not_sent';
}

/** Looks for the category in a new list, also under the name that the service has made of it. */
async function find(creation: Creation, findRecent?: FindRecent): Promise<Category | undefined> {
  const { session, ledger, body } = creation;
  creation.entries = ledger.read([body.name]);
  const recentIds = findRecent?.([body.name]);
  const list = await listAgain(creation, recentIds).catch((error) => {
    throw isUnsent(error) ? error : withDetails(error, nothingCreated);
  });
  const item: Item = { ...body, line: 1, index: 0, fate: 'create' };
  decideFates([item], list, creation.entries);
  creation.list = list;
  creation.lookAlike = list.find(({ name }) => name === item.lookAlike);
  const category = list.find(({ id }) => String(id) === item.id);
  if (category) notice(session.report, `"${body.name}" already exists`);
  return category;
}

/** Returns a list that has what the last one had. */
function listAgain(creation: Creation, recentIds: readonly string[] = []): Promise<Category[]> {
  const { session, client, ledger, list = [], entries } = creation;
  const { context, report } = session;
  const known = list.map(({ id, name }) => ({ id: String(id), name, as: name }));
  // Without a wait for a service that is away.
  const job = { context, report, client, ledger, settleMs, maxWaitMs: 0 };
  return fetchList(job, known, entries, recentIds);
}

/** Creates the category. Given hooks of a turn, one that is listed after an unknown outcome is taken for the one that was sent. */
async function send(creation: Creation, hooks?: RateLimitHooks): Promise<Found> {
  const { session, client, body, list = [] } = creation;
  try {
    const category = await client.call(createCategory, body, hooks);
    const before = new Set(list.map(({ id }) => id));
    const isNew = isNewCategory(category, body.name, before);
    if (isNew) record(creation, category);
    else notice(session.report, `${describeOlder(category)}: nothing was created`);
    return { category, isNew };
  } catch (error) {
    if (!(error instanceof Failure) || error.details.outcome !== 'unknown') throw error;
    creation.isUnsettled = true;
    // After Ctrl-C, report the unknown outcome at once.
    if (error.kind !== 'outcome_unknown') throw error;
    return { category: await lookFor(creation, error, hooks !== undefined), isNew: true };
  }
}

/** Never throws: the category is printed in any case. Without an entry the turn stays unsettled, so that the next process waits. */
function record(creation: Creation, { id, name }: Category): void {
  const { body, ledger } = creation;
  try {
    ledger.add({ name: body.name, id: String(id), as: name === body.name ? undefined : name });
  } catch {
    // Then the sync fails, too.
  }
  creation.isUnsettled = !ledger.sync();
}

/** Lists after an unknown outcome, at once and when the service has settled. Throws unless the list shows one category, a new one. */
async function lookFor(creation: Creation, failure: Failure, isNew: boolean): Promise<Category> {
  const { session, client, body } = creation;
  const isExact = ({ name }: Category) => name === body.name;
  warn(session.report, `${failure.message}. It may have been created; checking the list`);
  let list = await readCategories(client, { decides: true }).catch((): Category[] => []);
  let after = `${failure.message}; the list shows`;
  if (!list.some(isExact)) {
    list = await settleAndList(creation, failure);
    after = `${failure.message}; after ${duration(settleMs)} the list shows`;
    creation.isUnsettled = false;
  }
  const similar = list.filter(({ name }) => foldName(name) === foldName(body.name));
  const [category, ...copies] = similar.filter(isExact);
  // Without --if-missing one of this name may have existed before.
  if (category && isNew && copies.length === 0) {
    notice(session.report, `created with id ${category.id}, as the list shows`);
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
  const { context, report } = creation.session;
  try {
    await settle(context, report, settleMs, describeUnknown(1));
    return await listAgain(creation);
  } catch (reason) {
    const isOfList = reason instanceof Failure && reason.kind === 'service';
    const isNews = isOfList && reason.message !== failure.message;
    throw isNews ? failure.with({}, `${failure.message}; ${reason.message}`) : failure;
  }
}
