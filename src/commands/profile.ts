import { notice } from '../events.ts';
import type { Session } from '../session/session.ts';
import { findDefaultProfile, listProfiles, type Settings } from '../session/settings.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { hasStoredKey } from '../settings/keys.ts';
import { parseProfileName, sandboxProfile } from '../settings/values.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import type { Verb } from './verb.ts';

const columns = ['profile', 'default', 'active', 'baseUrl', 'key'] as const;

export const list: Verb = {
  description:
    'List all profiles: which one is the default, which one is active here, its base URL and where its key comes from; sends no request',
  examples: ['petstore profile list', 'petstore profile list --json'],
  notes: ['To create a profile: petstore auth login --profile NAME'],
  onFault: 'warn',
  run: listAllProfiles,
};

async function listAllProfiles({ output, profile, settings }: Session): Promise<void> {
  output.checkColumns(columns);
  const { text: byDefault } = findDefaultProfile(settings.file);
  const rows = listProfiles(settings.file).map((name) => {
    const baseUrl = settings.findSaved('base-url', name);
    return {
      profile: name,
      default: name === byDefault,
      active: name === profile.name,
      baseUrl: baseUrl && withoutUrlSecrets(baseUrl),
      key: keySource(name, settings),
    };
  });
  await output.print({ list: rows, columns });
}

function keySource(name: string, settings: Settings): string {
  if (name === sandboxProfile) return 'the sandbox';
  if (settings.findSaved('api-key-command', name) !== undefined) return 'api-key-command';
  const { folder } = settings.file;
  return folder !== undefined && hasStoredKey(folder, name) ? 'stored' : 'none';
}

export const use: Verb = {
  description: 'Make a profile the default one, for all commands without --profile',
  takes: [['<profile>', '']],
  examples: ['petstore profile use staging', 'petstore profile use sandbox'],
  onFault: 'go on',
  run: useProfile,
};

async function useProfile(session: Session, name: string): Promise<void> {
  const { context, profile, report, settings } = session;
  settings.requireProfile(parseProfileName(name));

  const folder = requireConfigFolder(context);
  const { saveSetting } = await import('../settings/save.ts');
  const path = saveSetting(context, folder, { name: 'default-profile' }, name);
  notice(report, `default profile is now ${name}, saved in ${path}`);
  const { source, file } = profile.given;
  if (source === 'default' || file !== undefined || profile.name === name) return;
  notice(report, `${source} takes precedence over the default profile`);
}
