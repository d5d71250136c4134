import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { saveSetting } from '../../settings/save.ts';
import type { SettingName } from '../../settings/table.ts';
import { addExamples } from '../help.ts';
import { profilePhrase, settingArgument, settingPath } from './set.ts';

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore config unset max-wait',
    'petstore config unset output --profile staging',
  ]);
  command
    .addArgument(settingArgument('name of the setting'))
    .action((name: SettingName) =>
      withSession(app, command, (session) => unset(session, name), { invalidSettings: true }),
    );
}

async function unset(session: Session, name: SettingName): Promise<void> {
  const { context, profile, report, settingsFile } = session;
  const phrase = profilePhrase(name, profile);
  const folder = requireConfigFolder(context);
  const own = name === 'default-profile' ? settingsFile.settings[name] : profile.settings[name];
  if (own === undefined) return notice(report, `${name} is not set${phrase}`);
  const path = await saveSetting(context, folder, settingPath(name, profile), undefined);
  notice(report, `removed ${name}${phrase} from ${path}`);
}
