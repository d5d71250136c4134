import { notice } from '../events.ts';
import type { Session } from '../session/session.ts';
import { findDefaultProfile, listProfiles, type Settings } from '../session/settings.ts';
import { profilesWithKey } from '../settings/keys.ts';
import { sandboxProfile } from '../settings/values.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { setSetting } from './config.ts';
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
  await output.print({ list: [rows], columns });
}

function keySource(name: string, settings: Settings): string {
  if (name === sandboxProfile) return 'the sandbox';
  if (settings.findSaved('api-key-command', name) !== undefined) return 'api-key-command';
  const { folder } = settings.file;
  return folder !== undefined && profilesWithKey(folder).includes(name) ? 'stored' : 'none';
}

export const use: Verb = {
  description: 'Make a profile the default one, for all commands without --profile',
  takes: [['<profile>', '']],
  examples: ['petstore profile use staging', 'petstore profile use sandbox'],
  onFault: 'go on',
  run: useProfile,
};

async function useProfile(session: Session, name: string): Promise<void> {
  await setSetting(session, 'default-profile', name);
  const { source, file } = session.profile.given;
  if (source === 'default' || file !== undefined || session.profile.name === name) return;
  notice(session.report, `${source} takes precedence over the default profile`);
}
