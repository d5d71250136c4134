import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { saving } from '../disk/files.ts';
import { writeNew } from '../disk/open-file.ts';
import { makePrivateFolder, ownFolder } from '../disk/private-folder.ts';
import { nameTemporary } from '../disk/temporary.ts';
import { Failure } from '../errors.ts';
import { findLimitsFault } from '../limit/open.ts';
import { readStatus, type WindowStatus } from '../limit/status.ts';
import { describeWait, rateLimitFailure } from '../limit/words.ts';
import { readCategories } from '../service/client.ts';
import type { App } from '../session/app.ts';
import { profileFlag } from '../session/chosen-profile.ts';
import { chooseProxy, refuseForSandbox, requireBaseUrl } from '../session/connect.ts';
import { noKey } from '../session/find-key.ts';
import { chooseSharedStore } from '../session/open-limit.ts';
import { getSetting } from '../session/resolve.ts';
import { type Session, withSession } from '../session/session.ts';
import { missingVersionNotice } from '../settings/addresses.ts';
import { requireStateFolder } from '../settings/folders.ts';
import { profileSettings, settings } from '../settings/settings.ts';
import { version } from '../version.ts';
import { addExamples } from './help.ts';

type Options = { readonly check?: boolean };
type Finding = string | { readonly warning: string; readonly fix?: string | undefined };
type Check = (session: Session) => Finding | Promise<Finding>;

const columns = ['check', 'status', 'finding', 'fix'] as const;

export function define(command: Command, app: App): void {
  addExamples(command, ['petstore doctor', 'petstore doctor --check --profile staging']);
  command
    .option('--check', 'send one request to check that the service responds')
    .action(withSession(app, command, examine, { invalidSettings: true, unreadableFile: true }));
}

async function examine(session: Session, { check: canSend }: Options): Promise<void> {
  const { output } = session;
  output.checkColumns(columns);
  // An api-key-command may ask for a passphrase, so only --check runs it.
  const hasKey = canSend || !(await hasKeyCommand(session));
  const checks = {
    ...localChecks,
    ...(hasKey && accountChecks),
    ...(canSend && { service: serviceCheck }),
  };
  const rows: { check: string; status: string; finding: string; fix?: string | undefined }[] = [];
  let failure: Failure | undefined;
  for (const [name, check] of Object.entries(checks)) {
    // The other checks need base URL, key and state folder.
    if (failure && !Object.hasOwn(localChecks, name)) break;
    try {
      const found = await check(session);
      if (typeof found === 'string') rows.push({ check: name, status: 'ok', finding: found });
      else rows.push({ check: name, status: 'warn', finding: found.warning, fix: found.fix });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure ??= error;
      // A missing base URL also fails the checks that depend on it.
      if (rows.some(({ finding }) => finding === error.message)) continue;
      const { message: finding, details } = error;
      const fix = details.hint ?? (name === 'state folder' ? ownFolder : undefined);
      rows.push({ check: name, status: 'fail', finding, fix });
    }
  }
  // A table would break paths on a narrow terminal.
  const text = rows.flatMap(({ check, status, finding, fix }) => [
    `${status.padEnd(4)}  ${check}: ${finding}`,
    ...(fix === undefined ? [] : [`      ${fix}`]),
  ]);
  await output.print({ text, list: rows, columns });
  if (failure) throw failure;
}

const localChecks: Readonly<Record<string, Check>> = {
  versions: ({ context }) =>
    `petstore ${version}, Node ${context.nodeVersion}, ${context.platform}`,
  settings(session) {
    const [fault] = session.faults;
    if (fault) throw fault;
    for (const name of profileSettings) {
      if (!settings[name].isOfSandbox) getSetting(name, session);
    }
    chooseSharedStore(session);
    const { file } = session.profile;
    if (file === undefined) return 'no settings folder';
    return existsSync(file) ? file : `no file yet (${file})`;
  },
  profile: ({ profile }) => `${profile.name} (from ${profile.given.source})`,
  'base url'(session) {
    if (session.profile.isSandbox) {
      refuseForSandbox(session.options);
      return 'the built-in sandbox';
    }
    const baseUrl = requireBaseUrl(session);
    const found = `${baseUrl.href} (from ${getSetting('base-url', session)?.source})`;
    const notice = missingVersionNotice(baseUrl);
    const fix = `Run: petstore config set base-url https://HOST/v1${profileFlag(session.profile)}`;
    return notice ? { warning: `${found}: ${notice}`, fix } : found;
  },
  async 'api key'(session) {
    if (session.profile.isSandbox) return "the sandbox's own";
    const key = await session.key();
    if (!key) throw noKey(session.profile);
    return `from ${key.source}`;
  },
  proxy(session) {
    if (session.profile.isSandbox) return 'none';
    const proxy = chooseProxy(session, requireBaseUrl(session));
    return proxy ? `${proxy.name} (from ${proxy.source})` : 'none';
  },
  certificates({ context }) {
    const { NODE_EXTRA_CA_CERTS: file } = context.env;
    if (!file) return 'those of Node.js';
    if (existsSync(file)) return `those of Node.js and ${file}`;
    const warning = `NODE_EXTRA_CA_CERTS is ignored: there is no file ${file}`;
    return { warning, fix: 'Correct its path, or unset it.' };
  },
  'state folder'({ context }) {
    const folder = requireStateFolder(context);
    const file = nameTemporary(join(folder, 'doctor'));
    // Only writing shows a full disk.
    saving(folder, () => {
      makePrivateFolder(folder);
      writeNew(file, '?'.repeat(4_096));
      rmSync(file);
    });
    const fault = findLimitsFault(folder, context);
    if (!fault) return folder;
    return { warning: `${fault.message}: the rate limit is kept elsewhere`, fix: fault.fix };
  },
};

const accountChecks: Readonly<Record<string, Check>> = {
  async 'shared store'(session) {
    const store = chooseSharedStore(session);
    if (!store) return 'not set: the rate limit is shared on this machine only';
    const limit = await session.limits();
    await readStatus(limit);
    if (limit.isRemote()) return `${store.name} answers`;
    throw new Failure('network', `${store.name} does not answer`);
  },
  async 'rate limit'(session) {
    const { context } = session;
    const { minute, day, wait } = await readStatus(await session.limits());
    if (!wait) {
      const windows = [...describeWindow('minute', minute), ...describeWindow('day', day)];
      return windows.join('; ') || 'nothing recorded in the state folder yet';
    }
    if (wait.waitMs > getSetting('max-wait', session).value)
      throw rateLimitFailure(wait, context.now());
    return { warning: describeWait(wait, context.now()) };
  },
};

const serviceCheck: Check = async (session) => {
  const { context } = session;
  const client = await session.client();
  const start = context.uptime();
  const { length } = await readCategories(client);
  return `responded in ${Math.round(context.uptime() - start)} ms with ${length} categories`;
};

async function hasKeyCommand(session: Session): Promise<boolean> {
  if (session.profile.isSandbox) return false;
  const key = await session.key().catch(() => undefined);
  return key !== undefined && 'run' in key;
}

function describeWindow(name: string, { limit, remaining, used }: WindowStatus): string[] {
  if (remaining !== undefined) return [`${name}: ${remaining} of ${limit} left`];
  return used === undefined ? [] : [`${name}: ${used} used`];
}
