import { dirname } from 'node:path';
import { Failure, usageFailure, withDetails } from '../errors.ts';
import { notice } from '../events.ts';
import { type ApiKey, keyEnding } from '../service/api-key.ts';
import { readCategories, trimSlashes } from '../service/client.ts';
import { requireBaseUrl } from '../session/connect.ts';
import { noKey, readFlaggedKey, readStdinKey } from '../session/find-key.ts';
import { canPrompt } from '../session/options.ts';
import type { Session } from '../session/session.ts';
import { profileFlag } from '../session/settings.ts';
import { parseBaseUrl } from '../settings/addresses.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { parseKey, removeKey, saveKey } from '../settings/keys.ts';
import { shortKeyNotice } from '../text/secret.ts';
import { requireOwnFolder, save } from './config.ts';
import type { Verb } from './verb.ts';

export const login: Verb = {
  description:
    'Try an API key with one request, and store it with its base URL. Asks for what is missing; a script gives --base-url and the key on standard input. A key that the service does not accept is not stored.',
  examples: [
    'petstore auth login',
    'petstore auth login --profile staging',
    'petstore auth login --base-url https://HOST/v1 < key-file',
  ],
  isNew: true,
  run: logIn,
};

async function logIn(session: Session): Promise<void> {
  const { context, options, settings } = session;
  refuseWhereUseless(session);
  const folder = requireOwnFolder(session);
  const isPrompted = canPrompt(context, options);

  const known = isPrompted ? settings.get('base-url')?.value : requireBaseUrl(session, true);
  const baseUrl = known ?? (await askBaseUrl(session));
  const key =
    (await readFlaggedKey(session)) ??
    (isPrompted ? await askKey(session, baseUrl) : await readKey(session));

  await verify(session, baseUrl, key);
  await store(session, folder, baseUrl, key);
}

function refuseWhereUseless({ profile, settings }: Session): void {
  if (profile.isSandbox) {
    throw usageFailure(
      'the sandbox has its own API key, so it needs no login',
      'Run: petstore categories list --profile sandbox',
    );
  }
  if (settings.findSaved('api-key-command') !== undefined) {
    throw usageFailure(
      `profile ${profile.name} has an api-key-command, which takes precedence over a stored key`,
      'Run: petstore config unset api-key-command',
    );
  }
}

async function askBaseUrl({ context, profile }: Session): Promise<URL> {
  const question = `Base URL for profile ${profile.name} (https://HOST/v1)`;
  return parseBaseUrl((await context.askLine(question, validateBy(parseBaseUrl))).trim());
}

async function askKey({ context }: Session, { origin }: URL): Promise<ApiKey> {
  const text = await context.askSecret(`API key for ${origin}`, validateBy(parseKey));
  return { value: text.trim(), source: 'the prompt' };
}

function validateBy(parse: (text: string) => unknown) {
  return (answer: string) => {
    try {
      parse(answer.trim());
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [error.message, error.details.hint].filter(Boolean).join('. ');
    }
  };
}

function readKey(session: Session): Promise<ApiKey> {
  if (!session.context.stdin.isTTY) return readStdinKey(session);
  throw usageFailure('no API key on standard input', `Run: ${session.settings.loginCommand()}`);
}

async function verify(session: Session, baseUrl: URL, key: ApiKey): Promise<void> {
  const { report, sink } = session;
  sink.hide(key.value);
  const renew = session.settings.loginCommand();
  try {
    const client = await session.clientOf({ baseUrl, key: { ...key, renew } });
    await readCategories(client);
  } catch (error) {
    const hint = loginHint(session, baseUrl, error) ?? `Run: ${renew}`;
    throw withDetails(error, { consequence: 'The key was not stored.', hint });
  }
  notice(report, 'the service accepted the key');
}

function loginHint({ settings }: Session, baseUrl: URL, error: unknown): string | undefined {
  if (!(error instanceof Failure)) return undefined;
  const meant = withVersion(baseUrl);
  const isOther = error.kind === 'refused' || error.kind === 'service';
  const { status = 0 } = error.details.service ?? {};
  if (isOther && status < 500 && meant !== trimSlashes(baseUrl)) {
    return `Run: ${settings.loginCommand(undefined, meant)}`;
  }
  const { hint } = error.details;
  // An address of the prompt is not in the settings.
  return settings.get('base-url')
    ? hint
    : hint?.replace(/petstore config list.*/, settings.loginCommand());
}

function withVersion(baseUrl: URL): string {
  const [path] = /^.*?\/v\d+(?=\/|$)/.exec(baseUrl.pathname) ?? [];
  return path === undefined ? `${trimSlashes(baseUrl)}/v1` : baseUrl.origin + path;
}

async function store(
  session: Session,
  folder: string,
  { origin, href }: URL,
  key: ApiKey,
): Promise<void> {
  const { context, profile, report, settings } = session;
  const path = saveKey(context, folder, profile.name, { origin, key: key.value });
  notice(
    report,
    `stored the API key of profile ${profile.name} in ${dirname(path)}, for ${origin} only`,
  );
  const short = shortKeyNotice(key.value);
  if (short) notice(report, short);
  if (context.env.PETSTORE_API_KEY) {
    const flag = profileFlag(profile) || ' --profile production';
    notice(report, `PETSTORE_API_KEY is set and takes precedence, unless you pass${flag}`);
  }
  // Later commands have neither the flag nor the variable that gave it.
  if (settings.findSaved('base-url') === href) return;
  await save(session, 'base-url', href).catch((error) => {
    throw withDetails(error, { consequence: 'The key was stored, but not its base URL.' });
  });
}

export const logout: Verb = {
  description: 'Remove the stored API key of a profile from this machine',
  examples: ['petstore auth logout', 'petstore auth logout --profile staging'],
  run: logOut,
};

async function logOut({ context, profile, report }: Session): Promise<void> {
  if (profile.isSandbox) {
    throw usageFailure('the sandbox has its own API key; none is stored for it');
  }
  const isRemoved = removeKey(context, requireConfigFolder(context), profile.name);
  notice(
    report,
    isRemoved
      ? `removed the API key of profile ${profile.name} from this machine. The key itself is still valid until you revoke it`
      : `no API key is stored for profile ${profile.name}`,
  );
}

const statusColumns = ['profile', 'baseUrl', 'keySource', 'keyEnding'];

export const status: Verb = {
  description:
    'Show which API key is used and where it comes from, and its last characters, unless an api-key-command prints it. Sends no request.',
  options: [['--check', 'send one request to see whether the service accepts the key']],
  examples: ['petstore auth status', 'petstore auth status --check'],
  run: printStatus,
};

type StatusOptions = { readonly check?: boolean };

async function printStatus(session: Session, { check }: StatusOptions): Promise<void> {
  const { output, profile, report, settings } = session;
  output.checkColumns(check ? [...statusColumns, 'works'] : statusColumns);
  const baseUrl = settings.get('base-url')?.value;
  const key = profile.isSandbox ? { source: 'the sandbox' } : await session.key();
  const succeed = () => undefined;
  const failure =
    check &&
    key &&
    (await session
      .client()
      .then(readCategories)
      .then(succeed, (error) => error));
  // Only a 401 says that the key is missing or invalid (interface document, section 5).
  const { status, text } = (failure instanceof Failure && failure.details.service) || {};
  const isRejected = status === 401 && !text;

  await output.print({
    record: {
      profile: profile.name,
      baseUrl: baseUrl?.href,
      keySource: key?.source,
      keyEnding: key && 'value' in key ? keyEnding(key.value) : undefined,
      ...(check && key && (isRejected || !failure) && { works: !failure }),
    },
  });
  if (!key) throw noKey(session);
  const short = 'value' in key && shortKeyNotice(key.value);
  if (short) notice(report, short);
  if (failure) throw failure;
}
