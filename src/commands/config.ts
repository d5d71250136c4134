import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { configFailure, usageFailure } from '../errors.ts';
import { notice } from '../events.ts';
import type { JsonObject } from '../json/json.ts';
import type { App } from '../session/app.ts';
import { defaultProfile, profileFlag, profileNames } from '../session/chosen-profile.ts';
import { type Resolved, resolveSetting } from '../session/resolve.ts';
import { type Session, withSession } from '../session/session.ts';
import { missingVersionNotice } from '../settings/addresses.ts';
import { settingsFile } from '../settings/file.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { hasStoredKey } from '../settings/keys.ts';
import { type SettingName, settingNames, settings } from '../settings/settings.ts';
import { parseProfileName } from '../settings/values.ts';
import { addExamples, addNotes } from './help.ts';
import { describeSetting } from './topics.ts';

const effectiveNames = ['profile', ...settingNames] as const;
type EffectiveName = (typeof effectiveNames)[number];

const columns = ['setting', 'value', 'source'] as const;

export function defineList(command: Command, app: App): void {
  addExamples(command, ['petstore config list', 'petstore config list --profile staging --json']);
  command.action(withSession(app, command, listSettings, { invalidSettings: true }));
}

async function listSettings(session: Session): Promise<void> {
  const { faults, output, report } = session;
  output.checkColumns(columns);
  for (const { message } of faults) notice(report, message);
  const rows = effectiveNames.map((name) => {
    const given = findEffective(name, session);
    // The command may contain what opens a vault, and lists are pasted into tickets.
    const isShown = name !== 'api-key-command' || given === undefined;
    return toRow(name, isShown ? given : { ...given, text: '(set)' });
  });
  await output.print({ list: rows, columns });
}

function findEffective(name: EffectiveName, session: Session): Resolved | undefined {
  if (name === 'profile') return session.profile.given;
  if (name === 'default-profile') return defaultProfile(session.settingsFile);
  // `-o json` formats what is printed here; the setting is that of other commands.
  const { output: _, ...options } = session.options;
  const given = resolveSetting(name, { ...session, options });
  const { withoutSecrets } = settings[name];
  return given && withoutSecrets ? { ...given, text: withoutSecrets(given.text) } : given;
}

function toRow(name: EffectiveName, given: Resolved | undefined): JsonObject {
  return { setting: name, value: given?.text, source: given?.file ?? given?.source };
}

export function defineGet(command: Command, app: App): void {
  addExamples(command, ['petstore config get profile', 'url=$(petstore config get base-url)']);
  command
    .description('Print the value of one setting; exits 2 when it is not set')
    .addArgument(settingArgument(effectiveNames))
    .action(withSession(app, command, printSetting));
}

function settingArgument(names: readonly EffectiveName[] = settingNames): Argument {
  return new Argument('<setting>', 'name of the setting').choices(names);
}

async function printSetting(session: Session, name: EffectiveName): Promise<void> {
  const { output, profile } = session;
  const given = findEffective(name, session);
  if (!given) {
    throw configFailure(
      `${name} is not set for profile ${profile.name}`,
      profile.isSandbox && name !== 'profile' && settings[name].isOfSandbox
        ? 'The sandbox has its own base URL, API key and limit.'
        : `Run: petstore config set ${name} VALUE${profileFlag(profile)}`,
    );
  }
  await output.print({ text: [given.text], record: toRow(name, given), columns });
}

export function defineSet(command: Command, app: App): void {
  addExamples(command, [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
  ]);
  addNotes(command, [
    ['Settings:', settingNames.map((name) => [name, describeSetting(settings[name])])],
    'Each setting belongs to a profile, except default-profile.',
  ]);
  command
    .addArgument(settingArgument(effectiveNames))
    .argument('<value>')
    .action(withSession(app, command, setSetting, { newProfile: true, invalidSettings: true }));
}

async function setSetting(session: Session, name: EffectiveName, value: string): Promise<void> {
  const { context, profile, report } = session;
  if (name === 'profile') {
    const hint = `Run: petstore profile use ${parseProfileName(value)}`;
    throw usageFailure('the profile in use is set by a command of its own', hint);
  }
  if (profile.isSandbox && settings[name].isOfSandbox) {
    throw usageFailure(
      'the sandbox has its own base URL, API key and limit',
      `Run: petstore config set ${name} VALUE --profile NAME (of another profile)`,
    );
  }
  settings[name].parse(value);
  const isNewProfile =
    name === 'default-profile' && !profileNames(session.settingsFile).includes(value);
  const folder = requireConfigFolder(context);
  const { path, phrase } = locateSetting(name, session);
  const { saveSetting } = await import('../settings/save.ts');
  const file = saveSetting(context, folder, path, value);
  notice(report, `saved ${withoutSecrets(name, value)}${phrase} in ${file}`);
  if (isNewProfile) {
    const undo = 'petstore config unset default-profile';
    notice(report, `profile "${value}" does not exist yet; to undo: ${undo}`);
  }
  const unversioned = name === 'base-url' ? missingVersionNotice(new URL(value)) : undefined;
  if (unversioned) notice(report, unversioned);
  if (name === 'api-key-command' && hasStoredKey(folder, profile.name)) {
    const stored = `the stored key of profile ${profile.name}`;
    const logout = `petstore auth logout${profileFlag(profile)}`;
    notice(report, `${name} takes precedence over ${stored}; to remove that: ${logout}`);
  }
}

function withoutSecrets(name: SettingName, value: string): string {
  if (name === 'api-key-command') return name;
  return `${name}=${settings[name].withoutSecrets?.(value) ?? value}`;
}

export function defineUnset(command: Command, app: App): void {
  addExamples(command, [
    'petstore config unset max-wait',
    'petstore config unset output --profile staging',
  ]);
  command
    .addArgument(settingArgument())
    .action(withSession(app, command, unsetSetting, { invalidSettings: true }));
}

async function unsetSetting(session: Session, name: SettingName): Promise<void> {
  const { context, report } = session;
  const { path, phrase, value } = locateSetting(name, session);
  const folder = requireConfigFolder(context);
  if (value === undefined) return notice(report, `${name} is not set${phrase}`);
  const { saveSetting } = await import('../settings/save.ts');
  const file = saveSetting(context, folder, path, undefined);
  notice(report, `removed ${name}${phrase} from ${file}`);
}

/** Finds where the settings file has a setting: once, or once for each profile. */
function locateSetting(name: SettingName, { profile, settingsFile }: Session) {
  if (name === 'default-profile') {
    return { path: { name }, phrase: '', value: settingsFile.settings[name] };
  }
  const path = { name, profile: profile.name };
  return { path, phrase: ` for profile ${profile.name}`, value: profile.settings[name] };
}

export function definePath(command: Command, app: App): void {
  addExamples(command, ['petstore config path', 'cat "$(petstore config path)"']);
  command.action(
    withSession(app, command, printPath, { invalidSettings: true, unreadableFile: true }),
  );
}

async function printPath({ context, faults, output, report }: Session): Promise<void> {
  for (const { message } of faults) notice(report, message);
  const path = join(requireConfigFolder(context), settingsFile);
  await output.print({ text: [path], record: { path }, columns: ['path'] });
}
