import type { Command } from 'commander';
import { Exit, Failure, nothingSent, usageFailure, withDetails } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { categoryColumns } from '../../fields.ts';
import type { Entry, Ledger } from '../../import/ledger.ts';
import { fetchList } from '../../import/lookup.ts';
import { findRenamed, foldName } from '../../import/plan.ts';
import { computeRestMs, defaultSettleTimes, describeUnknown, settle } from '../../import/settle.ts';
import { type Turn, takeTurn } from '../../import/turn.ts';
import { findMismatch } from '../../json/check.ts';
import { type Client, readCategories } from '../../service/client.ts';
import { createCategory } from '../../service/endpoints.ts';
import { type Category, NewCategory } from '../../service/resources.ts';
import type { App } from '../../session/app.ts';
import { onProfile, profileFlag } from '../../session/chosen-profile.ts';
import { openStore } from '../../session/open-limit.ts';
import { getSetting } from '../../session/resolve.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireStateFolder } from '../../settings/folders.ts';
import { duration } from '../../time.ts';
import { addExamples, addNotes } from '../help.ts';
import { showRequest } from '../show-request.ts';
import { openLedger } from './open-ledger.ts';

const { settleMs } = defaultSettleTimes;

type Options = {
  readonly description?: string;
  readonly ifMissing?: boolean;
  readonly dryRun?: boolean;
};

type Creation = {
  readonly session: Session;
  readonly client: Client;
  readonly body: NewCategory;
  readonly onlyIfMissing: boolean;
  readonly ledger: Ledger;
  /** What was created here under this name. */
  entries: readonly Entry[];
  turn?: Turn;
  /** The last list that was read before the create. */
  before: readonly Category[];
  /** A request may still create the category after the last list was read. */
  isUnsettled: boolean;
  wasFound: boolean;
};

export function define(command: Command, app: App): void {
  addExamples(command, [
    "petstore categories create ferret --description 'Steals socks'",
    'petstore categories create ferret --if-missing',
    'id=$(petstore categories create ferret --query id -o raw)',
  ]);
  addNotes(command, ['Exit code 6: it may have been created. Run it again with --if-missing.']);
  command
    .description(
      'Create a category, and print it with its id.\n\nNames are not unique: without --if-missing a second "ferret" is created, and the service cannot delete it.',
    )
    .argument('<name>', 'name of the category, for example rabbit')
    .option('-d, --description <text>', 'description of the category')
    .option(
      '--if-missing',
      'print the existing category if the name is taken; sends one more request, and is safe to repeat',
    )
    .option('--dry-run', 'print the request without sending it')
    .action(withSession(app, command, create));
}

async function create(
  session: Session,
  name: string,
  { description, ifMissing = false, dryRun }: Options,
): Promise<void> {
  const { output, report } = session;
  if (!dryRun) output.checkColumns(categoryColumns);
  const body = validate({ name, ...(description !== undefined && { description }) });
  const client = await session.client();
  if (dryRun) return showRequest(output, client.prepare(createCategory, { body }));

  const creation: Creation = {
    session,
    client,
    body,
    onlyIfMissing: ifMissing,
    ledger: await openLedger(session),
    entries: [],
    before: [],
    isUnsettled: false,
    wasFound: false,
  };
  const category = await (ifMissing ? createMissing(creation) : send(creation));

  const where = creation.wasFound ? '' : onProfile(session);
  if (where) notice(report, `created${where}`);
  if (category.name !== name) warn(report, `the service changed the name to "${category.name}"`);
  await output.print({ record: category, columns: categoryColumns }).catch((error) => {
    throw creation.wasFound ? error : unprintedFailure(error, category);
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

/** Creates a category unless one has exactly this name. Meanwhile no other petstore process creates by name. */
async function createMissing(creation: Creation): Promise<Category> {
  const { session, body, ledger } = creation;
  const { context, report } = session;
  const turn = await waitForTurn(session);
  creation.turn = turn;
  try {
    creation.entries = ledger.read([body.name]);
    creation.before = await list(creation);
    let restMs = computeRestMs(context.uptime(), turn.predecessorSeenAt);
    if (restMs > 0 && !findOld(creation)) {
      const why = 'another petstore process did not finish, and may have created the same name';
      warn(report, `${why}: checking the list of categories in ${duration(restMs)}`);
      creation.before = await listSettled(creation, restMs).catch((error) => {
        throw withDetails(error, nothingSent);
      });
      restMs = 0;
    }
    if (restMs === 0) await turn.afterList();
    const old = findOld(creation);
    if (old) {
      notice(report, `"${body.name}" already exists`);
      creation.wasFound = true;
      return old;
    }
    warnOfLookAlike(creation);
    return await send(creation);
  } finally {
    await turn.release(creation.isUnsettled);
  }
}

async function waitForTurn(session: Session): Promise<Turn> {
  const { context, report } = session;
  const { address } = await session.account();
  const maxWaitMs = getSetting('max-wait', session).value;
  const folder = requireStateFolder(context);
  const store = await openStore(session);
  return takeTurn(context, { folder, address, store, doing: 'creating', maxWaitMs, report });
}

function findOld({ before, body, entries }: Creation): Category | undefined {
  return findName(before, body.name) ?? findRenamed(before, entries)[0]?.category;
}

function warnOfLookAlike({ session: { report }, before, body: { name } }: Creation): void {
  const other = before.find((category) => foldName(category.name) === foldName(name));
  if (other) warn(report, `"${name}" is similar to "${other.name}" (id ${other.id}), which exists`);
}

function findName(list: readonly Category[], name: string): Category | undefined {
  return list.find((category) => category.name === name);
}

/** Returns a list that has what the last one had. */
function list({ session, client, ledger, before, entries }: Creation): Promise<Category[]> {
  const { context, report } = session;
  const known = before.map(({ id, name }) => ({ id: String(id), name, as: name }));
  return fetchList({ context, client, report, ledger, maxWaitMs: 0, settleMs }, known, entries);
}

async function listSettled(creation: Creation, waitMs: number): Promise<Category[]> {
  const { context, report } = creation.session;
  creation.isUnsettled = true;
  await settle(context, report, waitMs, describeUnknown(1));
  const settled = await list(creation);
  creation.isUnsettled = false;
  return settled;
}

/** Sends the create. If its outcome is unknown, looks for it in the list at once, and again when the service has settled. */
async function send(creation: Creation): Promise<Category> {
  const { session, client, body, turn } = creation;
  const { report } = session;
  try {
    const hooks = { beforeSending: () => turn?.confirm() };
    const create = () => client.call(createCategory, { body }, hooks);
    const category = await (turn ? turn.send(create, session.context.signal) : create());
    takeCreated(creation, category);
    return category;
  } catch (error) {
    if (!(error instanceof Failure) || error.details.outcome !== 'unknown') throw error;
    creation.isUnsettled = true;
    // After Ctrl-C, report the unknown outcome at once.
    if (error.kind !== 'outcome_unknown') throw error;
    warn(report, `${error.message}. It may have been created; checking the list`);
    const early = await readCategories(client, { decides: true }).catch(() => []);
    if (findName(early, body.name)) return findCreated(creation, early, error, '');
    const list = await listSettled(creation, settleMs).catch((reason) => {
      const isOfList = reason instanceof Failure && reason.kind === 'service';
      throw isOfList && reason.message !== error.message
        ? error.with({}, `${error.message}; ${reason.message}`)
        : error;
    });
    return findCreated(creation, list, error, `after ${duration(settleMs)} `);
  }
}

/** Never throws: the category is printed in any case. Without an entry the mark stays, so that the next process waits. */
function takeCreated(creation: Creation, { id, name }: Category): void {
  const { session, body, ledger, before } = creation;
  creation.wasFound = before.some((older) => older.id === id);
  if (creation.wasFound) {
    const text = `the service answered with id ${id}, which existed before: nothing was created`;
    notice(session.report, text);
    return;
  }
  try {
    ledger.add({ ...body, id: String(id), as: name === body.name ? undefined : name });
  } catch {
    // Then the sync fails, too.
  }
  creation.isUnsettled = !ledger.sync();
}

/** Returns the category only if no older one can be meant; else the failure says what the list shows. */
function findCreated(
  { session: { profile, report }, body: { name }, onlyIfMissing }: Creation,
  list: readonly Category[],
  failure: Failure,
  when: string,
): Category {
  const similar = list.filter((other) => foldName(other.name) === foldName(name));
  const exact = similar.filter((other) => other.name === name);
  const [category] = exact;
  // Without --if-missing one of this name may have existed before.
  if (category && onlyIfMissing && exact.length === 1) {
    notice(report, `created with id ${category.id}, as the list shows`);
    return category;
  }
  const after = `${failure.message}; ${when}the list shows`;
  const [first] = similar;
  if (!first) {
    const consequence = 'It was probably not created.';
    const hint = 'To retry, run the same command again with --if-missing.';
    throw failure.with({ consequence, hint }, `${after} no category with this name`);
  }
  const found = similar.map(({ id, name }) => `"${name}" with id ${id}`).join(', ');
  const hint = `Check before you retry. Run: petstore categories get ${first.id}${profileFlag(profile)}`;
  throw failure.with({ hint }, `${after} ${found}, created by this request or by another one`);
}

function unprintedFailure(error: unknown, { id, name }: Category): Failure {
  const consequence = `The category was created with id ${id}.`;
  const failure = withDetails(error, { outcome: 'created', consequence });
  if (failure instanceof Failure) return failure;
  const message = `created "${name}" with id ${id}; the result could not be printed`;
  const exitCode = error instanceof Exit ? error.exitCode : undefined;
  return new Failure('output', message, { outcome: 'created', exitCode, cause: error });
}
