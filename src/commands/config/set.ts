import type { Command } from 'commander';
import { Failure, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { chooseProfile, labelOf, profileFlag } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { hasStoredKey } from '../../settings/keys.ts';
import { declared, type SettingName, settingNames } from '../../settings/names.ts';
import { mayBeKey } from '../../text/secret.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addExamples } from '../examples.ts';
import { addNotes } from '../notes.ts';
import { describeSetting } from '../setting-text.ts';
import { forProfile, isOfSandbox, pathOf, requireName } from './names.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
    'petstore config set default-profile sandbox',
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
  refuseForSandbox(name, session);
  declared[name].read(value);
  const isNew = name === 'default-profile' && !isKnownProfile(host, value);

  const { saveSettings } = await import('../../settings/save.ts').catch(unloadable);
  const folder = requireConfigFolder(host.context);
  const path = await saveSettings(host.context, folder, [pathOf(name, profile)], value);
  // What is no profile may be a key.
  const isHidden = isNew && mayBeKey(value);
  const what = isHidden ? name : shown(name, value);
  notice(report, `saved ${what}${forProfile(name, profile)} in ${path}`);
  if (isNew) {
    const which = isHidden ? 'this profile' : `profile "${value}"`;
    const undo = 'petstore config unset default-profile';
    notice(report, `${which} does not exist yet; to undo: ${undo}`);
  }
  if (name === 'api-key-command' && hasStoredKey(folder, profile.name)) {
    const logout = `petstore auth logout${profileFlag(profile)}`;
    const stored = `the stored key of ${labelOf(profile)}`;
    notice(report, `api-key-command takes precedence over ${stored}; to remove that: ${logout}`);
  }
}

/** One that is not may be created later. */
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

/** @throws Failure (usage) */
function refuseForSandbox(name: SettingName, { profile }: Session): void {
  if (!isOfSandbox(name, profile)) return;
  throw usageFailure(
    'the sandbox has its own base URL, API key and limit',
    `For another profile: petstore config set ${name} VALUE --profile NAME`,
  );
}
