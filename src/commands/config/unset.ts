import type { Command } from 'commander';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import type { Profile } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { type SettingName, settingNames } from '../../settings/names.ts';
import { saveSetting } from '../../settings/save.ts';
import { addExamples } from '../examples.ts';
import { forProfile, pathOf, requireName } from './names.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config unset max-wait',
    'petstore config unset output --profile staging',
  ]);
  command
    .argument('<setting>', settingNames.join(', '))
    .action(async (text: string) =>
      inSession(host, command, (session) => unset(session, text), { invalidSettings: true }),
    );
}

async function unset({ host, profile, report }: Session, text: string): Promise<void> {
  const name = requireName(text, settingNames);
  const whose = forProfile(name, profile);
  const folder = requireConfigFolder(host.context);
  if (!isInFile(name, profile)) return notice(report, `${name} is not set${whose}`);
  const path = await saveSetting(host.context, folder, pathOf(name, profile), undefined);
  notice(report, `removed ${name}${whose} from ${path}`);
}

function isInFile(name: SettingName, { byDefault, file, settings }: Profile): boolean {
  return name === 'default-profile' ? byDefault.source === file : settings[name] !== undefined;
}
