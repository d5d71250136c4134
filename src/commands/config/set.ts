import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { labelOf, profileFlag } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { hasStoredKey } from '../../settings/keys.ts';
import { declared, type SettingName, settingNames } from '../../settings/names.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addExamples } from '../examples.ts';
import { isOfSandbox, pathOf, requireName } from './names.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
    'petstore config set default-profile sandbox',
  ]);
  command
    .argument('<setting>', settingNames.join(', '))
    .argument('<value>')
    .action(async (text: string, value: string) =>
      inSession(host, command, async (session) => {
        const { profile, report } = session;
        const name = requireName(text, settingNames);
        refuseForSandbox(name, session);
        declared[name].read(value);

        const { saveSetting } = await import('../../settings/save.ts').catch(unloadable);
        const folder = requireConfigFolder(host.context);
        const path = await saveSetting(host.context, folder, pathOf(name, profile), value);
        notice(report, `saved in ${path}`);
        if (name === 'api-key-command' && hasStoredKey(folder, profile.name)) {
          const message = `the stored API key of ${labelOf(profile)} is no longer used: petstore auth logout${profileFlag(profile)}`;
          notice(report, message);
        }
      }),
    );
}

/** @throws Failure (usage) */
function refuseForSandbox(name: SettingName, { profile }: Session): void {
  if (!isOfSandbox(name, profile)) return;
  throw usageFailure(
    'the sandbox has its own base URL, API key and limit',
    `For another profile: petstore config set ${name} VALUE --profile NAME`,
  );
}
