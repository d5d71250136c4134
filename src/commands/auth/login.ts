import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { mayAsk } from '../../session/asking.ts';
import type { Host } from '../../session/host.ts';
import { readStdin } from '../../session/key.ts';
import { chooseBaseUrl, sandboxProfile } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { parseKey } from '../../settings/keys.ts';
import { saveKey } from '../../settings/save.ts';

export function login(command: Command, host: Host): void {
  command.action(async () =>
    inSession(host, command, async (session) => {
      const { options, profile, report } = session;
      if (profile.name === sandboxProfile) {
        throw usageFailure('the sandbox makes its own key', 'Leave out auth login and go on.');
      }
      const folder = requireConfigFolder(host.context);
      const { origin } = chooseBaseUrl(host, options, profile);

      const { text, source } = await askForKey(session, origin);
      host.sink.hide(text.trim());
      const key = parseKey(text, source);

      const path = await saveKey(host.context, folder, profile.name, { origin, key });
      report({
        event: 'notice',
        message: `the key of profile ${profile.name} is stored in ${path}, for ${origin} alone`,
      });
    }),
  );
}

async function askForKey(
  { host: { context }, options }: Session,
  origin: string,
): Promise<{ text: string; source: string }> {
  if (!context.stdin.isTTY) return { text: await readStdin(context), source: 'standard input' };
  if (!mayAsk(context, options)) {
    throw usageFailure('there is no key on standard input', 'petstore auth login < KEY_FILE');
  }
  return { text: await context.askSecret(`API key for ${origin}`), source: 'the prompt' };
}
