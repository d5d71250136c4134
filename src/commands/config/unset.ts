import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { App } from '../../session/app.ts';
import { type Session, withSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { saveSetting } from '../../settings/save.ts';
import { settingNames } from '../../settings/table.ts';
import { addExamples } from '../examples.ts';
import { forProfile, pathOf, requireName } from './names.ts';

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore config unset max-wait',
    'petstore config unset output --profile staging',
  ]);
  command
    .argument('<setting>', settingNames.join(', '))
    .action(async (text: string) =>
      withSession(app, command, (session) => unset(session, text), { invalidSettings: true }),
    );
}

async function unset(session: Session, text: string): Promise<void> {
  const { context, profile, report, settingsFile } = session;
  const name = requireName(text, settingNames);
  const whose = forProfile(name, profile);
  const folder = requireConfigFolder(context);
  const own = name === 'default-profile' ? settingsFile.settings[name] : profile.settings[name];
  if (own === undefined) return notice(report, `${name} is not set${whose}`);
  const path = await saveSetting(context, folder, pathOf(name, profile), undefined);
  notice(report, `removed ${name}${whose} from ${path}`);
}
