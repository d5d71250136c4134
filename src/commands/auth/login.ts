import { dirname } from 'node:path';
import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import { chooseBaseUrl, findBaseUrl } from '../../session/address.ts';
import { type Host, mayAsk } from '../../session/host.ts';
import { keyOfFlag } from '../../session/key.ts';
import { labelOf, profileFlag, sandboxProfile } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { parseBaseUrl } from '../../settings/base-url.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { parseKey } from '../../settings/keys.ts';
import { saveKey } from '../../settings/save-key.ts';
import { noticeOfShortKey } from '../../text/secret.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, host: Host): void {
  command.description(
    'Store the API key of a profile, for its base URL only. On a terminal, asks for what is missing and sends one request to verify the key; in a script, reads the key from standard input and sends nothing.',
  );
  addExamples(command, ['petstore auth login', 'petstore auth login --profile staging < key-file']);
  command.action(async () => inSession(host, command, login, { newProfile: true }));
}

async function login(session: Session): Promise<void> {
  const { context } = session.host;
  refuseOther(session);
  const folder = requireConfigFolder(context);
  if (mayAsk(context, session.options)) await setUp(session, folder);
  else await storeGiven(session, folder);
}

/** Asks for what is missing, and stores nothing that the service rejects. */
async function setUp(session: Session, folder: string): Promise<void> {
  const { host, profile, report } = session;
  const { askBaseUrl, askKey, verifyKey } = await import('./set-up.ts');

  const known = findBaseUrl(session);
  const asked = known ? undefined : await askBaseUrl(session);
  const baseUrl = known ?? parseBaseUrl(asked ?? '');
  const given = await keyOfFlag(session);
  const key = given ?? { value: await askKey(session, baseUrl.origin), source: 'the prompt' };
  host.sink.hide(key.value);

  if (asked !== undefined) {
    const { saveSetting } = await import('../../settings/save.ts');
    const path = { profile: profile.name, name: 'base-url' } as const;
    const file = await saveSetting(host.context, folder, path, asked);
    notice(report, `saved base-url=${asked} for ${labelOf(profile)} in ${file}`);
  }
  for (const message of await verifyKey(session, { baseUrl, key })) notice(report, message);
  await store(session, folder, key.value, baseUrl);
}

/** Stores the key that a script gives, without a request. */
async function storeGiven(session: Session, folder: string): Promise<void> {
  const baseUrl = chooseBaseUrl(session);
  await store(session, folder, await takeKey(session), baseUrl);
}

/** @throws Failure (usage, config) */
async function takeKey(session: Session): Promise<string> {
  const { context, sink } = session.host;
  const given = await keyOfFlag(session);
  if (given) return given.value;
  if (context.stdin.isTTY) {
    const hint =
      context.platform === 'win32'
        ? 'Get-Content KEY_FILE | petstore auth login'
        : 'petstore auth login < KEY_FILE';
    throw usageFailure('no API key on standard input', hint);
  }
  const { readStdin } = await import('../../session/key-file.ts');
  const text = await readStdin(context);
  sink.hide(text.trim());
  return parseKey(text, 'standard input');
}

async function store(
  { host: { context }, profile, report }: Session,
  folder: string,
  key: string,
  { origin }: URL,
): Promise<void> {
  const path = await saveKey(context, folder, profile.name, { origin, key });
  notice(
    report,
    `stored the API key of ${labelOf(profile)} in ${dirname(path)}, for ${origin} only`,
  );
  const short = noticeOfShortKey(key);
  if (short) notice(report, short);
  if (context.env.PETSTORE_API_KEY) {
    const flag = profileFlag(profile) || ' --profile production';
    notice(report, `PETSTORE_API_KEY is set and takes precedence, unless you pass${flag}`);
  }
}

/** A stored key would never be used where another one always comes first. @throws Failure (usage) */
function refuseOther({ profile }: Session): void {
  if (profile.name === sandboxProfile) {
    throw usageFailure(
      'the sandbox has its own API key, so it needs no login',
      'petstore categories list --profile sandbox',
    );
  }
  if (profile.settings['api-key-command'] !== undefined) {
    throw usageFailure(
      `profile ${profile.name} has an api-key-command, which takes precedence over a stored key`,
      `To store a key instead: petstore config unset api-key-command${profileFlag(profile)}`,
    );
  }
}
