import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { defaultProfile, isExplicit, profileNames, unknownProfile } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { saveSetting } from '../../settings/save.ts';
import { parseProfileName } from '../../settings/values.ts';
import { addExamples } from '../help.ts';

export function define(command: Command, app: App): void {
  command.description('Make a profile the default one, for all commands without --profile');
  addExamples(command, ['petstore profile use staging', 'petstore profile use sandbox']);
  command.argument('<profile>').action((name: string) =>
    withSession(app, command, (session) => use(session, name), {
      newProfile: true,
      invalidSettings: true,
    }),
  );
}

async function use(session: Session, name: string): Promise<void> {
  const { context, profile, report, settingsFile } = session;
  parseProfileName(name);
  const known = profileNames(settingsFile);
  if (!known.includes(name)) throw unknownProfile(name, known);

  if (defaultProfile(settingsFile).text === name) {
    notice(report, `profile ${name} is already the default profile`);
  } else {
    const folder = requireConfigFolder(context);
    const path = await saveSetting(context, folder, { name: 'default-profile' }, name);
    notice(report, `default profile is now ${name}, saved in ${path}`);
  }
  if (isExplicit(profile)) {
    notice(report, '--profile takes precedence over the default profile, for this command only');
  } else if (profile.given.source === 'PETSTORE_PROFILE' && profile.name !== name) {
    const unless = `unless you pass --profile ${name}`;
    notice(report, `PETSTORE_PROFILE is set and takes precedence in this shell, ${unless}`);
  }
}
