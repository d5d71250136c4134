import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { type Profile, readKept } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { type ProfileSetting, type SettingName, settingNames } from '../../settings/names.ts';
import { settingsOf } from '../../settings/profiles.ts';
import type { SettingPath } from '../../settings/save.ts';
import { addExamples } from '../examples.ts';
import { addAllProfiles, forProfiles, inAllProfiles, type ProfileOptions } from './all-profiles.ts';
import { forProfile, pathOf, requireName } from './names.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config unset max-wait',
    'petstore config unset output --profile staging',
    'petstore config unset output --all-profiles',
  ]);
  addAllProfiles(command, 'remove it from every profile')
    .argument('<setting>', settingNames.join(', '))
    .action(async (text: string, options: ProfileOptions) =>
      inSession(host, command, (session) => unset(session, text, options), {
        invalidSettings: true,
      }),
    );
}

async function unset(
  session: Session,
  text: string,
  { allProfiles }: ProfileOptions,
): Promise<void> {
  const { host, profile, report } = session;
  const name = requireName(text, settingNames);
  const paths = allProfiles ? setIn(name, session) : [pathOf(name, profile)];
  const whose = allProfiles ? forProfiles(paths) : forProfile(name, profile);
  const folder = requireConfigFolder(host.context);
  if (paths.length === 0) return notice(report, `${name} is not set for any profile`);
  if (!allProfiles && !isInFile(name, profile)) return notice(report, `${name} is not set${whose}`);
  const { saveSettings } = await import('../../settings/save.ts');
  const path = await saveSettings(host.context, folder, paths, undefined);
  notice(report, `removed ${name}${whose} from ${path}`);
}

/** The setting in every profile that has it. */
function setIn(name: SettingName, session: Session): readonly SettingPath[] {
  const { settings } = readKept(session.host);
  return inAllProfiles(name, session).filter(
    ({ profile = '' }) => settingsOf(settings, profile)[name as ProfileSetting] !== undefined,
  );
}

function isInFile(name: SettingName, { byDefault, file, settings }: Profile): boolean {
  return name === 'default-profile' ? byDefault.source === file : settings[name] !== undefined;
}
