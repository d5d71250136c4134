import type { Command } from 'commander';
import { usageFailure } from '../errors.ts';
import { notice } from '../events.ts';
import type { App } from '../session/app.ts';
import {
  defaultProfile,
  isExplicit,
  profileNames,
  type SettingsFile,
} from '../session/chosen-profile.ts';
import { type Session, withSession } from '../session/session.ts';
import { type ProfileSettings, pickProfile } from '../settings/file.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { hasStoredKey } from '../settings/keys.ts';
import { parseProfileName, sandboxProfile } from '../settings/values.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { addExamples, addNotes } from './help.ts';

const columns = ['profile', 'default', 'active', 'baseUrl', 'key'] as const;

export function defineList(command: Command, app: App): void {
  command.description(
    'List all profiles: which one is the default, which one is active here, its base URL and where its key comes from; sends no request',
  );
  addExamples(command, ['petstore profile list', 'petstore profile list --json']);
  addNotes(command, ['To create a profile: petstore auth login --profile NAME']);
  command.action(withSession(app, command, listProfiles, { invalidSettings: true }));
}

async function listProfiles(session: Session): Promise<void> {
  const { faults, output, profile, report, settingsFile } = session;
  output.checkColumns(columns);
  for (const { message } of faults) notice(report, message);
  const { text: byDefault } = defaultProfile(settingsFile);
  const rows = profileNames(settingsFile).map((name) => ({
    profile: name,
    default: name === byDefault,
    active: name === profile.name,
    baseUrl: shownBaseUrl(pickProfile(settingsFile.settings, name)),
    key: keySource(name, settingsFile),
  }));
  await output.print({ list: rows, columns });
}

function shownBaseUrl({ 'base-url': url }: ProfileSettings): string | undefined {
  return url && withoutUrlSecrets(url);
}

function keySource(name: string, { settings, folder }: SettingsFile): string {
  if (name === sandboxProfile) return 'the sandbox';
  if (pickProfile(settings, name)['api-key-command'] !== undefined) return 'api-key-command';
  return folder !== undefined && hasStoredKey(folder, name) ? 'stored' : 'none';
}

export function defineUse(command: Command, app: App): void {
  command.description('Make a profile the default one, for all commands without --profile');
  addExamples(command, ['petstore profile use staging', 'petstore profile use sandbox']);
  command
    .argument('<profile>')
    .action(withSession(app, command, useProfile, { newProfile: true, invalidSettings: true }));
}

async function useProfile(session: Session, name: string): Promise<void> {
  const { context, profile, report, settingsFile } = session;
  parseProfileName(name);
  const known = profileNames(settingsFile);
  if (!known.includes(name)) {
    const create = `To create this one, log in. Run: petstore auth login --profile ${name}`;
    throw usageFailure(`unknown profile "${name}"`, `Profiles: ${known.join(', ')}. ${create}`);
  }

  const folder = requireConfigFolder(context);
  const { saveSetting } = await import('../settings/save.ts');
  const path = saveSetting(context, folder, { name: 'default-profile' }, name);
  notice(report, `default profile is now ${name}, saved in ${path}`);
  if (isExplicit(profile)) {
    notice(report, '--profile takes precedence over the default profile, for this command only');
  } else if (profile.given.source === 'PETSTORE_PROFILE' && profile.name !== name) {
    const unless = `unless you pass --profile ${name}`;
    notice(report, `PETSTORE_PROFILE is set and takes precedence in this shell, ${unless}`);
  }
}
