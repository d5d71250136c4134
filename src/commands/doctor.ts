import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { durableRemove, durableWrite, readText, saving } from '../disk/files.ts';
import { checkFolder } from '../disk/private-folder.ts';
import { configFailure, Failure } from '../errors.ts';
import { defaultSettleTimes } from '../import/settle.ts';
import { describeHolder, maxBeatAgeMs, openTurnCell, type TurnCell } from '../import/turn-cell.ts';
import { readStatus, type WindowStatus } from '../limit/status.ts';
import { describeWait, rateLimitFailure } from '../limit/words.ts';
import type { ResponseHead } from '../request/exchange.ts';
import { readCategories } from '../service/client.ts';
import {
  chooseProxy,
  once,
  openStore,
  refuseForSandbox,
  requireBaseUrl,
} from '../session/connect.ts';
import { noKey } from '../session/find-key.ts';
import { listComplaints, type Session } from '../session/session.ts';
import { addTarget } from '../session/settings.ts';
import { requireStateFolder } from '../settings/folders.ts';
import { profileSettings } from '../settings/settings.ts';
import { shortKeyNotice } from '../text/secret.ts';
import { clockTime, countOf } from '../time.ts';
import { version } from '../version.ts';
import type { Verb } from './verb.ts';

type Status = 'ok' | 'warn' | 'fail' | 'skip';
/** A text is a finding that is well. */
type Finding = string | readonly [status: Status, finding: string, fix?: string | undefined];
/** Fails as a command would. `blocker` says what to do before an api-key-command may run. */
type Find = (session: Session, blocker?: string) => Promise<Finding>;
/** The list of categories that --check requests. */
type Response = Awaited<ReturnType<typeof listCategories>>;
type Check =
  | readonly [name: string, needs: 'nothing' | 'account', find: Find]
  | readonly [name: string, needs: 'a response', find: (response: Response) => Finding];

const checks: readonly Check[] = [
  ['versions', 'nothing', checkVersions],
  ['settings', 'nothing', checkSettings],
  ['profile', 'nothing', checkProfile],
  ['base URL', 'nothing', checkBaseUrl],
  ['API key', 'nothing', checkKey],
  ['proxy', 'nothing', checkProxy],
  ['certificates', 'nothing', checkCertificates],
  ['state folder', 'nothing', checkStateFolder],
  ['shared store', 'nothing', checkStore],
  ['rate limit', 'account', checkLimit],
  ['import', 'account', checkTurn],
  ['service', 'a response', checkService],
];

const columns = ['check', 'status', 'finding', 'fix'] as const;
const names = checks.map(([name]) => name).join(', ');
const addCheck = 'add --check';

export const doctor: Verb = {
  description: `Check what commands need, and say how to mend what is wrong: ${names}. Without --check the service gets no request, and an api-key-command does not run.`,
  options: [['--check', 'send one request to check that the service responds']],
  examples: ['petstore doctor', 'petstore doctor --check --profile staging'],
  notes: ['Exit code: 0, or that of the first check that failed.'],
  onFault: 'go on',
  run: examine,
};

async function examine(session: Session, { check: canSend = false }): Promise<void> {
  const { output } = session;
  output.checkColumns(columns);
  const rows: { check: string; status: Status; finding: string; fix: string | undefined }[] = [];
  const failures: { readonly name: string; readonly failure: Failure }[] = [];
  const ask = once(() => listCategories(session));
  for (const check of checks) {
    const [first] = failures;
    const blocker = first ? mend(first.name) : canSend ? undefined : addCheck;
    const [name] = check;
    const found = await examineOne(session, check, blocker, ask).catch((error) => {
      if (!(error instanceof Failure)) throw error;
      const cause = failures.find(({ failure }) => failure.message === error.message);
      if (cause) return notTried(mend(cause.name));
      failures.push({ name, failure: error });
      // Whoever reads this has just run the command that some hints name.
      const hint = error.details.hint?.replace(/ ?Run: petstore doctor.*/, '') || undefined;
      return ['fail', error.message, addTarget(hint, session)] as const;
    });
    const [status, finding, fix] = typeof found === 'string' ? (['ok', found] as const) : found;
    rows.push({ check: name.toLowerCase(), status, finding, fix });
  }
  // A table would break paths on a narrow terminal.
  const text = rows.flatMap(({ check, status, finding, fix }) => [
    `${status.padEnd(4)}  ${check}: ${finding}`,
    ...(fix === undefined ? [] : [`      ${fix}`]),
  ]);
  await output.print({ text, list: [rows], columns });
  const [first] = failures;
  if (!first) return;
  // The rows have said the rest.
  const said = { hint: undefined, consequence: undefined, service: undefined };
  const failed = failures.map(({ name }) => name.toLowerCase()).join(', ');
  throw first.failure.with(said, `${countOf(failures.length, 'check')} failed: ${failed}`);
}

async function examineOne(
  session: Session,
  [, needs, find]: Check,
  blocker: string | undefined,
  ask: () => Promise<Response>,
): Promise<Finding> {
  if (needs === 'a response') return blocker ? notTried(blocker) : find(await ask());
  const isFree = needs === 'nothing' || (blocker === addCheck && !(await needsKeyCommand(session)));
  return blocker && !isFree ? notTried(blocker) : find(session, blocker);
}

/** The command may ask for a passphrase. */
async function needsKeyCommand({ profile, key }: Session): Promise<boolean> {
  const found = profile.isSandbox ? undefined : await key();
  return found !== undefined && 'run' in found;
}

async function listCategories({ context, client }: Session) {
  const start = context.uptime();
  const heads: ResponseHead[] = [];
  const onResponse = (head: ResponseHead) => heads.push(head);
  const { length: count } = await readCategories(await client(), { onResponse });
  return { head: heads[0], lastedMs: context.uptime() - start, count };
}

function notTried(blocker: string): Finding {
  return ['skip', `not tried: ${blocker}`];
}

function mend(name: string): string {
  return `mend the ${name} first`;
}

async function checkVersions({ context }: Session): Promise<Finding> {
  return `petstore ${version}, Node ${context.nodeVersion}, ${context.platform}`;
}

async function checkSettings({ fault, settings }: Session): Promise<Finding> {
  if (fault) throw fault;
  for (const name of profileSettings) if (name !== 'base-url') settings.get(name);
  const { path, unreachable, open } = settings.file;
  const [finding] = listComplaints(settings);
  if (finding) return ['warn', finding, (unreachable ?? open)?.details.hint];
  if (path === undefined) return 'no settings folder';
  return existsSync(path) ? path : `no file yet (${path})`;
}

async function checkProfile({ profile }: Session): Promise<Finding> {
  return `${profile.name} (from ${profile.given.source})`;
}

async function checkBaseUrl(session: Session): Promise<Finding> {
  const { options, profile, settings } = session;
  if (profile.isSandbox) refuseForSandbox(options);
  if (profile.isSandbox) return 'the built-in sandbox';
  const baseUrl = requireBaseUrl(session);
  const found = `${baseUrl.href} (from ${settings.find('base-url')?.source})`;
  if (/\/v\d/.test(baseUrl.pathname)) return found;
  const problem = 'the base URL has no version prefix such as /v1, so requests may fail with 404';
  return ['warn', `${found}: ${problem}`, 'It ends with the version, as https://HOST/v1 does.'];
}

async function checkKey(session: Session, blocker?: string): Promise<Finding> {
  if (session.profile.isSandbox) return "the sandbox's own";
  const key = await session.key();
  if (!key) throw noKey(session);
  // This runs an api-key-command.
  if (blocker === undefined) await session.account();
  const short = 'value' in key && shortKeyNotice(key.value);
  return short ? ['warn', `from ${key.source}; ${short}`] : `from ${key.source}`;
}

async function checkProxy(session: Session): Promise<Finding> {
  const proxy = session.profile.isSandbox
    ? undefined
    : chooseProxy(session, requireBaseUrl(session));
  return proxy ? `${proxy.name} (from ${proxy.source})` : 'none';
}

const maxCertificateBytes = 8 * 1024 * 1024;

/** Node.js says nothing of a file in which it finds no certificate. */
async function checkCertificates({ context }: Session): Promise<Finding> {
  const { NODE_EXTRA_CA_CERTS: file } = context.env;
  if (!file) return 'those of Node.js';
  try {
    const text = readText(file, maxCertificateBytes);
    if (text === undefined) throw configFailure(`there is no file ${file}`);
    new X509Certificate(text);
    return `those of Node.js and ${file}`;
  } catch (error) {
    const reason = error instanceof Failure ? error.message : `${file} holds no certificate`;
    throw configFailure(
      `NODE_EXTRA_CA_CERTS is ignored: ${reason}`,
      'It must name a file in PEM, which is text. One in DER: openssl x509 -inform der -in FILE -out ca.pem.',
    );
  }
}

async function checkStateFolder({ context }: Session): Promise<Finding> {
  const folder = requireStateFolder(context);
  const file = join(folder, 'doctor');
  saving(file, () => checkFolder(join(folder, 'limits'), context.uid));
  // Only writing shows a full disk.
  durableWrite(file, '?'.repeat(4_096));
  durableRemove(file);
  return folder;
}

async function checkStore(session: Session): Promise<Finding> {
  if (session.profile.isSandbox) return 'none: a sandbox needs none';
  const store = await openStore(session);
  if (!store) return 'not set: only commands with this state folder share the rate limit';
  const cell = openTurnCell(session.context, { folder: '', address: '', store });
  await readTurn(cell);
  return `${store.name} answers`;
}

async function readTurn(cell: TurnCell) {
  try {
    return await cell.read();
  } catch (error) {
    throw cell.explain(error);
  }
}

async function checkLimit({ context, limits, settings }: Session): Promise<Finding> {
  const { minute, day, wait } = await readStatus(await limits());
  if (!wait) {
    const windows = [...describeWindow('minute', minute), ...describeWindow('day', day)];
    return windows.join('; ') || 'nothing recorded in the state folder yet';
  }
  const now = context.now();
  if (wait.waitMs > settings.get('max-wait').value) throw rateLimitFailure(wait, now);
  return ['warn', describeWait(wait, now)];
}

function describeWindow(name: string, { limit, remaining, used }: WindowStatus): string[] {
  if (remaining !== undefined) return [`${name}: ${remaining} of ${limit} left`];
  return used === undefined ? [] : [`${name}: ${used} used`];
}

async function checkTurn(session: Session): Promise<Finding> {
  const { context } = session;
  const { address } = await session.account();
  const folder = requireStateFolder(context);
  const cell = openTurnCell(context, { folder, address, store: await openStore(session) });
  const { value: { holder, unsettledAt } = {}, now } = await readTurn(cell);
  if (holder && !holder.hasEnded && context.isRunning(holder.owner) !== false) {
    return ['warn', describeHolder(holder, unsettledAt)];
  }
  const endsAt = (unsettledAt ?? 0) + maxBeatAgeMs + defaultSettleTimes.settleAfterKillMs;
  if (endsAt <= now) return 'nothing is waited for';
  return [
    'warn',
    `a killed run may have sent something: the next import waits until ${clockTime(endsAt)}`,
  ];
}

function checkService({ lastedMs, count }: Response): Finding {
  return `responded in ${Math.round(lastedMs)} ms with ${count} categories`;
}
