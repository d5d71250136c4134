import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { profileFlag, profileNames } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { hasStoredKey } from '../../settings/keys.ts';
import { saveSetting } from '../../settings/save.ts';
import { type SettingName, settingNames, settings } from '../../settings/table.ts';
import { addExamples } from '../examples.ts';
import { addNotes } from '../notes.ts';
import { describeSetting } from '../setting-text.ts';
import { forProfile, isOfSandbox, pathOf, requireName } from './names.ts';

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
  ]);
  addNotes(command, [
    ['Settings:', settingNames.map((name) => [name, describeSetting(settings[name])])],
    'Settings belong to a profile; default-profile to all.',
  ]);
  command
    .argument('<setting>', settingNames.join(', '))
    .argument('<value>')
    .action(async (text: string, value: string) =>
      withSession(app, command, (session) => set(session, text, value), {
        newProfile: true,
        invalidSettings: true,
      }),
    );
}

async function set(session: Session, text: string, value: string): Promise<void> {
  const { context, profile, report, settingsFile } = session;
  const name = requireName(text, settingNames);
  if (isOfSandbox(name, profile)) {
    throw usageFailure(
      'the sandbox has its own base URL, API key and limit',
      `For another profile: petstore config set ${name} VALUE --profile NAME`,
    );
  }
  settings[name].parse(value);
  const isNew = name === 'default-profile' && !profileNames(settingsFile).includes(value);
  const folder = requireConfigFolder(context);
  const path = await saveSetting(context, folder, pathOf(name, profile), value);
  notice(report, `saved ${shown(name, value)}${forProfile(name, profile)} in ${path}`);
  if (isNew) {
    const undo = 'petstore config unset default-profile';
    notice(report, `profile "${value}" does not exist yet; to undo: ${undo}`);
  }
  if (name === 'api-key-command' && hasStoredKey(folder, profile.name)) {
    const stored = `the stored key of profile ${profile.name}`;
    const logout = `petstore auth logout${profileFlag(profile)}`;
    notice(report, `${name} takes precedence over ${stored}; to remove that: ${logout}`);
  }
}

function shown(name: SettingName, value: string): string {
  // What opens a vault may be in it.
  if (name === 'api-key-command') return name;
  const { withoutSecrets = (all: string) => all } = settings[name];
  return `${name}=${withoutSecrets(value)}`;
}
