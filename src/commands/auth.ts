import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Failure, usageFailure, withDetails } from '../errors.ts';
import { notice } from '../events.ts';
import type { RateLimit } from '../request/exchange.ts';
import { type ApiKey, keyEnding } from '../service/api-key.ts';
import { readCategories } from '../service/client.ts';
import { type App, canPrompt } from '../session/app.ts';
import { profileFlag } from '../session/chosen-profile.ts';
import { createConnection, requireBaseUrl, type Service } from '../session/connect.ts';
import { noKey, readFlaggedKey, readStdinKey } from '../session/find-key.ts';
import { getSetting } from '../session/resolve.ts';
import { type Session, withSession } from '../session/session.ts';
import { missingVersionNotice, parseBaseUrl } from '../settings/addresses.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { parseKey, removeKey, saveKey } from '../settings/keys.ts';
import { shortKeyNotice } from '../text/secret.ts';
import { addExamples } from './help.ts';

export function defineLogin(command: Command, app: App): void {
  command.description(
    'Store the API key of a profile, for its base URL only. On a terminal, asks for what is missing; in a script, reads the key from standard input. Sends one request to verify the key, and stores no key that was not accepted.',
  );
  addExamples(command, ['petstore auth login', 'petstore auth login --profile staging < key-file']);
  command.action(withSession(app, command, logIn, { newProfile: true }));
}

async function logIn(session: Session): Promise<void> {
  const { context, options, profile, report, sink } = session;
  refuseWhereUseless(session);
  const folder = requireConfigFolder(context);
  const isPrompted = canPrompt(context, options);

  const known = isPrompted ? getSetting('base-url', session)?.value : requireBaseUrl(session, '');
  const baseUrl = known ?? (await askBaseUrl(session));
  const key =
    (await readFlaggedKey(session)) ??
    (isPrompted ? await askKey(session, baseUrl) : await readKey(session));
  sink.hide(key.value);

  const unversioned = missingVersionNotice(baseUrl);
  if (unversioned) notice(report, unversioned);
  await verify(session, { baseUrl, key });
  store(session, folder, key, baseUrl);
  // Later commands have neither the flag nor the variable that gave it.
  const saved = profile.settings['base-url'] ?? '';
  if (!URL.canParse(saved) || new URL(saved).href !== baseUrl.href) {
    const path = { profile: profile.name, name: 'base-url' } as const;
    const consequence = 'The key was stored, but not its base URL.';
    const file = await import('../settings/save.ts')
      .then(({ saveSetting }) => saveSetting(context, folder, path, baseUrl.href))
      .catch((error) => {
        throw withDetails(error, { consequence });
      });
    notice(report, `saved base-url=${baseUrl.href} for profile ${profile.name} in ${file}`);
  }
}

function refuseWhereUseless({ profile }: Session): void {
  if (profile.isSandbox) {
    throw usageFailure(
      'the sandbox has its own API key, so it needs no login',
      'Run: petstore categories list --profile sandbox',
    );
  }
  if (profile.settings['api-key-command'] !== undefined) {
    throw usageFailure(
      `profile ${profile.name} has an api-key-command, which takes precedence over a stored key`,
      `Run: petstore config unset api-key-command${profileFlag(profile)}`,
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
  const { context, profile } = session;
  if (!context.stdin.isTTY) return readStdinKey(session);
  const again = `petstore auth login${profileFlag(profile)}`;
  const isWindows = context.platform === 'win32';
  throw usageFailure(
    'no API key on standard input',
    `Run: ${isWindows ? `Get-Content KEY_FILE | ${again}` : `${again} < KEY_FILE`}`,
  );
}

async function verify(session: Session, login: Service): Promise<void> {
  const { profile, report } = session;
  const onRateLimit = (rateLimit: RateLimit) => report({ event: 'rate_limit', ...rateLimit });
  const client = await createConnection(session, { report, onRateLimit, login }).client();
  try {
    await readCategories(client);
  } catch (error) {
    const again = `Run: petstore auth login${profileFlag(profile)}`;
    const hint = error instanceof Failure && error.kind !== 'auth' ? error.details.hint : again;
    throw withDetails(error, { consequence: 'The key was not stored.', hint: hint ?? again });
  }
  notice(report, 'the service accepted the key');
}

function store(
  { context, profile, report }: Session,
  folder: string,
  key: ApiKey,
  { origin }: URL,
): void {
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
}

export function defineLogout(command: Command, app: App): void {
  command.description('Remove the stored API key of a profile from this machine');
  addExamples(command, ['petstore auth logout', 'petstore auth logout --profile staging']);
  command.action(withSession(app, command, logOut));
}

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

export function defineStatus(command: Command, app: App): void {
  command.description(
    'Show which API key is used, where it comes from and its last characters; sends no request',
  );
  addExamples(command, ['petstore auth status', 'petstore auth status --check']);
  command
    .option('--check', 'send one request to see whether the service accepts the key')
    .action(withSession(app, command, printStatus));
}

type StatusOptions = { readonly check?: boolean };

async function printStatus(session: Session, { check }: StatusOptions): Promise<void> {
  const { output, profile } = session;
  output.checkColumns(check ? [...statusColumns, 'works'] : statusColumns);
  const baseUrl = getSetting('base-url', session)?.value;
  const key = profile.isSandbox ? { source: 'the sandbox' } : await session.key();
  const { works, failure }: KeyCheck = check && key ? await tryKey(session) : {};

  await output.print({
    record: {
      profile: profile.name,
      baseUrl: baseUrl?.href,
      keySource: key?.source,
      keyEnding: key && 'value' in key ? keyEnding(key.value) : undefined,
      ...(check && { works }),
    },
  });
  if (!key) throw noKey(profile);
  if (failure) throw failure;
}

type KeyCheck = { readonly works?: boolean; readonly failure?: unknown };

async function tryKey(session: Session): Promise<KeyCheck> {
  try {
    await readCategories(await session.client());
    return { works: true };
  } catch (failure) {
    // Only a 401 says that the key is missing or invalid (interface document, section 5).
    const isRejected = failure instanceof Failure && failure.details.service?.status === 401;
    return { ...(isRejected && { works: false }), failure };
  }
}
