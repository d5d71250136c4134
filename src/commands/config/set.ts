import type { Command } from 'commander';
import { Failure, usageFailure } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Host } from '../../session/host.ts';
import { chooseProfile, labelOf, profileFlag } from '../../session/profile.ts';
import { inSession, type Session } from '../../session/session.ts';
import { requireConfigFolder } from '../../settings/folders.ts';
import { hasStoredKey, profilesWithKey } from '../../settings/keys.ts';
import { declared, type SettingName, settingNames } from '../../settings/names.ts';
import type { SettingPath } from '../../settings/save.ts';
import { mayBeKey } from '../../text/secret.ts';
import { addExamples } from '../examples.ts';
import { addNotes } from '../notes.ts';
import { describeSetting } from '../setting-text.ts';
import { addAllProfiles, forProfiles, inAllProfiles, type ProfileOptions } from './all-profiles.ts';
import {
  forProfile,
  isOfSandbox,
  noticeOfNewProfile,
  pathOf,
  requireName,
  sandboxHasItsOwn,
} from './names.ts';

export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
    'petstore config set max-wait 10m --all-profiles',
  ]);
  addNotes(command, [
    ['Settings:', settingNames.map((name) => [name, describeSetting(declared[name])])],
    'Settings belong to a profile; default-profile to all.',
  ]);
  addAllProfiles(command, 'set it for every profile')
    .argument('<setting>', settingNames.join(', '))
    .argument('<value>')
    .action(async (text: string, value: string, options: ProfileOptions) =>
      inSession(host, command, (session) => set(session, text, value, options), {
        newProfile: true,
        invalidSettings: true,
      }),
    );
}

async function set(
  session: Session,
  text: string,
  value: string,
  { allProfiles }: ProfileOptions,
): Promise<void> {
  const { host, profile, report } = session;
  const name = requireName(text, settingNames);
  const all = allProfiles
    ? inAllProfiles(name, session).filter((at) => !isOfSandbox(name, { name: at.profile }))
    : undefined;
  if (!all) refuseForSandbox(name, session);
  declared[name].read(value);
  const isNew = name === 'default-profile' && !isKnownProfile(host, value);

  const { saveSettings } = await import('../../settings/save.ts');
  const folder = requireConfigFolder(host.context);
  const path = await saveSettings(host.context, folder, all ?? [pathOf(name, profile)], value);
  // What is no profile may be a key.
  const what = isNew && mayBeKey(value) ? name : shown(name, value);
  notice(report, `saved ${what}${all ? forProfiles(all) : forProfile(name, profile)} in ${path}`);
  if (isNew) notice(report, noticeOfNewProfile(value));
  if (all && declared[name].ofSandbox)
    notice(report, `the sandbox is left out: it ${sandboxHasItsOwn}`);
  if (name === 'api-key-command') sayUnused(session, all, folder);
}

/** The stored keys that an api-key-command takes precedence over. */
function sayUnused(
  { profile, report }: Session,
  all: readonly SettingPath[] | undefined,
  folder: string,
): void {
  const first = 'api-key-command takes precedence over';
  if (all) {
    const stored = profilesWithKey(folder);
    const names = all.flatMap(({ profile = '' }) => (stored.includes(profile) ? [profile] : []));
    if (names.length === 0) return;
    const logout = 'to remove one: petstore auth logout --profile NAME';
    notice(report, `${first} the stored keys of ${names.join(', ')}; ${logout}`);
  } else if (hasStoredKey(folder, profile.name)) {
    const logout = `petstore auth logout${profileFlag(profile)}`;
    notice(report, `${first} the stored key of ${labelOf(profile)}; to remove that: ${logout}`);
  }
}

/** One that is not may be created later. */
function isKnownProfile(host: Host, name: string): boolean {
  try {
    chooseProfile(host, { profile: name });
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function shown(name: SettingName, value: string): string {
  // What opens a vault may be in it.
  if (name === 'api-key-command') return name;
  const { withoutSecrets = (all: string) => all } = declared[name];
  return `${name}=${withoutSecrets(value)}`;
}

/** @throws Failure (usage) */
function refuseForSandbox(name: SettingName, { profile }: Session): void {
  if (!isOfSandbox(name, profile)) return;
  throw usageFailure(
    `the sandbox ${sandboxHasItsOwn}`,
    `For another profile: petstore config set ${name} VALUE --profile NAME`,
  );
}
