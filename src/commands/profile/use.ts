import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { isExplicit, readKept, unknownProfile } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { profileNames } from '../../settings/profiles.ts';
import { saveSetting } from '../../settings/save.ts';
import { parseProfileName } from '../../settings/values.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, host: Host): void {
  command.description('Make a profile the default one, for all commands without --profile');
  addExamples(command, ['petstore profile use staging', 'petstore profile use sandbox']);
  command.argument('<profile>').action(async (name: string) =>
    inSession(host, command, (session) => use(session, name), {
      newProfile: true,
      invalidSettings: true,
    }),
  );
}

async function use({ host, profile, report }: Session, name: string): Promise<void> {
  const { folder, settings } = readKept(host);
  const known = profileNames(folder, settings);
  parseProfileName(name);
  if (!known.includes(name)) throw unknownProfile(name, known);

  if (profile.byDefault.value === name) {
    notice(report, `profile ${name} is already the default profile`);
  } else {
    const home = requireConfigFolder(host.context);
    const path = await saveSetting(host.context, home, { name: 'default-profile' }, name);
    notice(report, `default profile is now ${name}, saved in ${path}`);
  }
  // What the other one is called is not said: it may be a key.
  if (isExplicit(profile)) {
    notice(report, '--profile takes precedence over the default profile, for this command only');
  } else if (profile.source === 'PETSTORE_PROFILE' && profile.name !== name) {
    const unless = `unless you pass --profile ${name}`;
    notice(report, `PETSTORE_PROFILE is set and takes precedence in this shell, ${unless}`);
  }
}
