import { join } from 'node:path';
import { configFailure, usageFailure } from '../errors.ts';
import { notice } from '../events.ts';
import type { JsonObject } from '../json/json.ts';
import type { Session } from '../session/session.ts';
import { findDefaultProfile, type Given } from '../session/settings.ts';
import { settingsFile } from '../settings/file.ts';
import { requireConfigFolder } from '../settings/folders.ts';
import { type SettingName, settingNames, settings } from '../settings/settings.ts';
import { parseProfileName } from '../settings/values.ts';
import { describeSetting } from './topics.ts';
import type { Verb } from './verb.ts';

const effectiveNames = ['profile', ...settingNames] as const;
type EffectiveName = (typeof effectiveNames)[number];

const columns = ['setting', 'value', 'source'] as const;

export const list: Verb = {
  examples: ['petstore config list', 'petstore config list --profile staging --json'],
  onFault: 'warn',
  run: listSettings,
};

async function listSettings(session: Session): Promise<void> {
  const { output } = session;
  output.checkColumns(columns);
  const rows = effectiveNames.map((name) => {
    const given = findEffective(name, session);
    // The command may contain what opens a vault, and lists are pasted into tickets.
    const isShown = name !== 'api-key-command' || given === undefined;
    return toRow(name, isShown ? given : { ...given, text: '(set)' });
  });
  await output.print({ list: rows, columns });
}

function findEffective(
  name: EffectiveName,
  { profile, settings: all }: Session,
): Given | undefined {
  if (name === 'profile') return profile.given;
  if (name === 'default-profile') return findDefaultProfile(all.file);
  const given = all.find(name);
  const { withoutSecrets } = settings[name];
  return given && withoutSecrets ? { ...given, text: withoutSecrets(given.text) } : given;
}

function toRow(name: EffectiveName, given: Given | undefined): JsonObject {
  return { setting: name, value: given?.text, source: given?.file ?? given?.source };
}

export const get: Verb = {
  description: 'Print the value of one setting; exits 2 when it is not set',
  takes: [['<setting>', 'name of the setting', effectiveNames]],
  examples: ['petstore config get profile', 'url=$(petstore config get base-url)'],
  format: 'raw',
  run: printSetting,
};

async function printSetting(session: Session, name: EffectiveName): Promise<void> {
  const { output, profile } = session;
  const given = findEffective(name, session);
  if (!given) {
    throw configFailure(
      `${name} is not set for profile ${profile.name}`,
      profile.isSandbox ? ofSandbox : 'See: petstore config set --help',
    );
  }
  await output.print({ text: [given.text], record: toRow(name, given), columns });
}

const ofSandbox = 'The sandbox has its own base URL, API key and limit.';

export const set: Verb = {
  takes: [
    ['<setting>', 'name of the setting', effectiveNames],
    ['<value>', 'new value, see below'],
  ],
  examples: [
    'petstore config set base-url https://HOST/v1',
    'petstore config set output json --profile staging',
  ],
  notes: [
    ['Settings:', settingNames.map((name) => [name, describeSetting(settings[name])])],
    'Each setting belongs to a profile, except default-profile.',
  ],
  isNew: true,
  onFault: 'go on',
  run: setSetting,
};

async function setSetting(session: Session, name: EffectiveName, value: string): Promise<void> {
  const { context, profile, report, settings: all } = session;
  if (name === 'profile') {
    const hint = `Run: petstore profile use ${parseProfileName(value)}`;
    throw usageFailure('the profile in use is set by a command of its own', hint);
  }
  if (profile.isSandbox && settings[name].isOfSandbox) {
    throw usageFailure(ofSandbox, 'Add the profile that you mean: --profile production.');
  }
  settings[name].parse(value);
  if (name === 'default-profile') all.requireProfile(value);
  const folder = requireConfigFolder(context);
  const { path, phrase } = locateSetting(name, session);
  const { saveSetting } = await import('../settings/save.ts');
  const file = saveSetting(context, folder, path, value);
  notice(report, `saved ${withoutSecrets(name, value)}${phrase} in ${file}`);
}

function withoutSecrets(name: SettingName, value: string): string {
  if (name === 'api-key-command') return name;
  return `${name}=${settings[name].withoutSecrets?.(value) ?? value}`;
}

export const unset: Verb = {
  takes: [['<setting>', 'name of the setting', settingNames]],
  examples: ['petstore config unset max-wait', 'petstore config unset output --profile staging'],
  onFault: 'go on',
  run: unsetSetting,
};

async function unsetSetting(session: Session, name: SettingName): Promise<void> {
  const { context, report, settings: all } = session;
  const { path, phrase } = locateSetting(name, session);
  const folder = requireConfigFolder(context);
  const isSet =
    name === 'default-profile'
      ? all.file.saved[name] !== undefined
      : all.findSaved(name) !== undefined;
  if (!isSet) return notice(report, `${name} is not set${phrase}`);
  const { saveSetting } = await import('../settings/save.ts');
  const file = saveSetting(context, folder, path, undefined);
  notice(report, `removed ${name}${phrase} from ${file}`);
}

/** Finds where the settings file has a setting: once, or once for each profile. */
function locateSetting(name: SettingName, { profile }: Session) {
  if (name === 'default-profile') return { path: { name }, phrase: '' };
  return { path: { name, profile: profile.name }, phrase: ` for profile ${profile.name}` };
}

export const path: Verb = {
  examples: ['petstore config path', 'cat "$(petstore config path)"'],
  format: 'raw',
  onFault: 'warn',
  async run({ context, output }: Session) {
    const path = join(requireConfigFolder(context), settingsFile);
    await output.print({ text: [path], record: { path }, columns: ['path'] });
  },
};
