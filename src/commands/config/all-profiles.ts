import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { isExplicit, readKept } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { declared, type SettingName } from '../../settings/names.ts';
import { profileNames } from '../../settings/profiles.ts';
import type { SettingPath } from '../../settings/save.ts';

export type ProfileOptions = { readonly allProfiles?: boolean };

export function addAllProfiles(command: Command, help: string): Command {
  return command.option('--all-profiles', help);
}

/** A setting in every profile. @throws Failure (usage) where --all-profiles makes no sense */
export function inAllProfiles(name: SettingName, session: Session): readonly SettingPath[] {
  const { host, profile } = session;
  if (isExplicit(profile)) {
    throw usageFailure('--all-profiles cannot be used with --profile', 'Remove one of the two.');
  }
  if (declared[name].file !== 'profile') {
    throw usageFailure(`${name} does not belong to a profile`, 'Remove --all-profiles.');
  }
  const { folder, settings } = readKept(host);
  return profileNames(folder, settings).map((profile) => ({ profile, name }));
}

/** Whose setting it is, for the end of a message: " for 2 profiles (production, staging)". */
export function forProfiles(paths: readonly SettingPath[]): string {
  const names = paths.map(({ profile }) => profile).join(', ');
  return ` for ${paths.length} profile${paths.length === 1 ? '' : 's'} (${names})`;
}
