import { dirname } from 'node:path';
import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import { chooseBaseUrl } from '../../session/address.ts';
import type { Host } from '../../session/host.ts';
import { mayAsk } from '../../session/host.ts';
import { keyOfFlag, readStdin } from '../../session/key.ts';
import { labelOf, profileFlag, sandboxProfile } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { parseKey } from '../../settings/keys.ts';
import { saveKey } from '../../settings/save-key.ts';
import { noticeOfShortKey } from '../../text/secret.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, host: Host): void {
  command.description('Store the API key of a profile, for its base URL only');
  addExamples(command, ['petstore auth login', 'petstore auth login --profile staging < key-file']);
  command.action(async () =>
    inSession(host, command, async (session) => {
      const { profile, report } = session;
      refuseOther(session);
      const folder = requireConfigFolder(host.context);
      const { origin } = chooseBaseUrl(session);

      const { text, source } = await takeKey(session, origin);
      host.sink.hide(text.trim());
      const key = parseKey(text, source);

      const path = await saveKey(host.context, folder, profile.name, { origin, key });
      const where = `${dirname(path)}, for ${origin} only`;
      notice(report, `stored the API key of ${labelOf(profile)} in ${where}`);
      const short = noticeOfShortKey(key);
      if (short) notice(report, short);
      if (host.context.env.PETSTORE_API_KEY) {
        const message = `PETSTORE_API_KEY is set and takes precedence, unless you pass${profileFlag(profile) || ' --profile production'}`;
        notice(report, message);
      }
    }),
  );
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

async function takeKey(
  { host: { context }, options }: Session,
  origin: string,
): Promise<{ text: string; source: string }> {
  const given = await keyOfFlag(context, options);
  if (given) return { text: given.value, source: given.source };
  if (!context.stdin.isTTY) return { text: await readStdin(context), source: 'standard input' };
  if (!mayAsk(context, options)) {
    throw usageFailure('no API key on standard input', 'petstore auth login < KEY_FILE');
  }
  return { text: await context.askSecret(`API key for ${origin}`), source: 'the prompt' };
}
