import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { profileFlag } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { removeKey } from '../../settings/keys.ts';
import { addExamples } from '../help.ts';

export function define(command: Command, app: App): void {
  command.description('Remove the stored API key of a profile from this machine');
  addExamples(command, ['petstore auth logout', 'petstore auth logout --profile staging']);
  command.action(() => withSession(app, command, logOut));
}

async function logOut(session: Session): Promise<void> {
  const { context, profile, report } = session;
  if (profile.isSandbox) {
    throw usageFailure('the sandbox has its own API key, and no other is stored');
  }
  const isRemoved = await removeKey(context, requireConfigFolder(context), profile.name);
  const message = isRemoved
    ? `removed the API key of profile ${profile.name} from this machine. The key itself is still valid until you revoke it`
    : `no API key is stored for profile ${profile.name}`;
  for (const line of [message, ...remainingKeys(session)]) notice(report, line);
}

function* remainingKeys({ context, profile }: Session): Generator<string> {
  if (context.env.PETSTORE_API_KEY) yield 'PETSTORE_API_KEY is still set';
  if (profile.settings['api-key-command'] !== undefined) {
    yield `api-key-command still provides a key: petstore config unset api-key-command${profileFlag(profile)}`;
  }
}
