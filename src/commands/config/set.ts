import type { Command } from 'commander';
import { Failure, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { chooseProfile, labelOf, profileFlag } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { hasStoredKey } from '../../settings/keys.ts';
import { declared, type SettingName, settingNames } from '../../settings/names.ts';
import { saveSetting } from '../../settings/save.ts';
import { mayBeKey } from '../../text/secret.ts';
import { addExamples } from '../examples.ts';
import { addNotes } from '../notes.ts';
import { describeSetting } from '../setting-text.ts';
import { forProfile, isOfSandbox, pathOf, requireName } from './names.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
  ]);
  addNotes(command, [
    ['Settings:', settingNames.map((name) => [name, describeSetting(declared[name])])],
    'Settings belong to a profile; default-profile to all.',
  ]);
  command
    .argument('<setting>', settingNames.join(', '))
    .argument('<value>')
    .action(async (text: string, value: string) =>
      inSession(host, command, (session) => set(session, text, value), {
        newProfile: true,
        invalidSettings: true,
      }),
    );
}

async function set(session: Session, text: string, value: string): Promise<void> {
  const { host, profile, report } = session;
  const name = requireName(text, settingNames);
  if (isOfSandbox(name, profile)) {
    throw usageFailure(
      'the sandbox has its own base URL, API key and limit',
      `For another profile: petstore config set ${name} VALUE --profile NAME`,
    );
  }
  declared[name].read(value);
  const isNew = name === 'default-profile' && !isKnownProfile(host, value);
  // An unknown profile name may be a pasted key, so it is not printed.
  const isHidden = isNew && mayBeKey(value);
  const folder = requireConfigFolder(host.context);
  const path = await saveSetting(host.context, folder, pathOf(name, profile), value);
  const what = isHidden ? name : shown(name, value);
  notice(report, `saved ${what}${forProfile(name, profile)} in ${path}`);
  if (isNew) {
    const which = isHidden ? 'this profile' : `profile "${value}"`;
    const undo = 'petstore config unset default-profile';
    notice(report, `${which} does not exist yet; to undo: ${undo}`);
  }
  if (name === 'api-key-command' && hasStoredKey(folder, profile.name)) {
    const stored = `the stored key of ${labelOf(profile)}`;
    const logout = `petstore auth logout${profileFlag(profile)}`;
    notice(report, `${name} takes precedence over ${stored}; to remove that: ${logout}`);
  }
}

/** Returns false for a profile that may be created later. */
function isKnownProfile(host: Host, name: string): boolean {
  try {
    chooseProfile(host, { profile: name });
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function shown(name: SettingName, value: string): string {
  // What opens a vault may be in it.
  if (name === 'api-key-command') return name;
  const { withoutSecrets = (all: string) => all } = declared[name];
  return `${name}=${withoutSecrets(value)}`;
}
