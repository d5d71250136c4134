import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import type { Host } from '../../session/host.ts';
import { inSession } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { settingNames } from '../../settings/names.ts';
import { mayBeKey } from '../usage.ts';

const names = Object.keys(settingNames).join(', ');

export function set(command: Command, host: Host): void {
  command
    .argument('<setting>', names)
    .argument('<value>')
    .action(async (name: string, value: string) =>
      inSession(host, command, async ({ profile, report }) => {
        const setting = Object.hasOwn(settingNames, name) ? settingNames[name] : undefined;
        if (!setting) {
          const what = mayBeKey(name) ? 'setting of that name' : `setting "${name}"`;
          throw usageFailure(`there is no ${what}`, `One of: ${names}`);
        }
        setting.check(value);

        const { saveSetting } = await import('../../settings/save.ts');
        const place = { name, ...(setting.ofProfile && { profile: profile.name }) };
        const folder = requireConfigFolder(host.context);
        const path = await saveSetting(host.context, folder, place, value);
        report({ event: 'notice', message: `saved in ${path}` });
      }),
    );
}
