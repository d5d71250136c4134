import { Argument, type Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { profileFlag, profileNames } from '../../session/profile.ts';
import type { Profile } from '../../session/resolve.ts';
import { type Session, withSession } from '../../session/session.ts';
import { noticeOfVersion } from '../../settings/addresses.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { hasStoredKey } from '../../settings/keys.ts';
import { type SettingPath, saveSetting } from '../../settings/save.ts';
import { type SettingName, settingNames, settings } from '../../settings/table.ts';
import { addExamples, addNotes } from '../help.ts';
import { describeSetting } from '../topics.ts';

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
  ]);
  addNotes(command, [
    ['Settings:', settingNames.map((name) => [name, describeSetting(settings[name])])],
    'Each setting belongs to a profile, except default-profile.',
  ]);
  command
    .addArgument(settingArgument())
    .argument('<value>')
    .action((name: SettingName, value: string) =>
      withSession(app, command, (session) => setSetting(session, name, value), {
        newProfile: true,
        invalidSettings: true,
      }),
    );
}

async function setSetting(session: Session, name: SettingName, value: string): Promise<void> {
  const { context, profile, report, settingsFile } = session;
  if (profile.isSandbox && settings[name].isOfSandbox) {
    throw usageFailure(
      'the sandbox has its own base URL, API key and limit',
      `For another profile: petstore config set ${name} VALUE --profile NAME`,
    );
  }
  settings[name].parse(value);
  const isNew = name === 'default-profile' && !profileNames(settingsFile).includes(value);
  const folder = requireConfigFolder(context);
  const path = await saveSetting(context, folder, settingPath(name, profile), value);
  notice(report, `saved ${withoutSecrets(name, value)}${profilePhrase(name, profile)} in ${path}`);
  if (isNew) {
    const undo = 'petstore config unset default-profile';
    notice(report, `profile "${value}" does not exist yet; to undo: ${undo}`);
  }
  const unversioned = name === 'base-url' ? noticeOfVersion(new URL(value)) : undefined;
  if (unversioned) notice(report, unversioned);
  if (name === 'api-key-command' && hasStoredKey(folder, profile.name)) {
    const stored = `the stored key of profile ${profile.name}`;
    const logout = `petstore auth logout${profileFlag(profile)}`;
    notice(report, `${name} takes precedence over ${stored}; to remove that: ${logout}`);
  }
}

function withoutSecrets(name: SettingName, value: string): string {
  // The command may contain what opens a vault.
  if (name === 'api-key-command') return name;
  return `${name}=${settings[name].withoutSecrets?.(value) ?? value}`;
}

export function settingArgument(description = ''): Argument {
  return new Argument('<setting>', description).choices(settingNames);
}

export function settingPath(name: SettingName, profile: Profile): SettingPath {
  return name === 'default-profile' ? { name } : { name, profile: profile.name };
}

export function profilePhrase(name: SettingName, profile: Profile): string {
  return name === 'default-profile' ? '' : ` for profile ${profile.name}`;
}
