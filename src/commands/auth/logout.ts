import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { profileFlag } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { removeKey } from '../../settings/keys.ts';
import { sandboxProfile } from '../../settings/values.ts';
import { addExamples } from '../help.ts';

export function define(command: Command, app: App): void {
  command.description('Remove the stored API key of a profile from this machine');
  addExamples(command, ['petstore auth logout', 'petstore auth logout --profile staging']);
  command.action(async () =>
    withSession(app, command, async (session) => {
      const { profile, report } = session;
      if (profile.name === sandboxProfile) {
        throw usageFailure('the sandbox has its own API key, and no other is stored');
      }
      const folder = requireConfigFolder(app.context);
      const message = (await removeKey(app.context, folder, profile.name))
        ? `removed the API key of profile ${profile.name} from this machine; the service may still accept it`
        : `no API key is stored for profile ${profile.name}`;
      notice(report, message);
      for (const message of remainingKeys(session)) notice(report, message);
    }),
  );
}

/** Names other keys that the next command would use. */
function* remainingKeys({ context, profile }: Session): Generator<string> {
  if (context.env.PETSTORE_API_KEY) yield 'PETSTORE_API_KEY is still set';
  if (profile.settings['api-key-command'] !== undefined) {
    yield `api-key-command still provides a key: petstore config unset api-key-command${profileFlag(profile)}`;
  }
}
