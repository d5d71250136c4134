import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { removeKey } from '../../settings/keys.ts';
import { addExamples } from '../help.ts';

export function define(command: Command, app: App): void {
  command.description('Remove the stored API key of a profile from this machine');
  addExamples(command, ['petstore auth logout', 'petstore auth logout --profile staging']);
  command.action(() => withSession(app, command, logOut));
}

async function logOut({ context, profile, report }: Session): Promise<void> {
  if (profile.isSandbox) {
    throw usageFailure('the sandbox has its own API key; none is stored for it');
  }
  const isRemoved = await removeKey(context, requireConfigFolder(context), profile.name);
  notice(
    report,
    isRemoved
      ? `removed the API key of profile ${profile.name} from this machine. The key itself is still valid until you revoke it`
      : `no API key is stored for profile ${profile.name}`,
  );
}
