import { join } from 'node:path';
import { configFailure, usageFailure } from '../errors.ts';
import { notice } from '../events.ts';
import type { JsonObject } from '../json/json.ts';
import type { Session } from '../session/session.ts';
import { findDefaultProfile, type Given } from '../session/settings.ts';
import { settingsFile } from '../settings/file.ts';
import { refuseForeignFolder, requireConfigFolder } from '../settings/folders.ts';
import { type SettingName, settingNames, settings } from '../settings/settings.ts';
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
  const rows = effectiveNames.map((name) => {
    const given = findEffective(name, session);
    return toRow(name, given && { ...given, text: withoutSecrets(name, given.text) });
  });
  await session.output.print({ list: [rows], columns });
}

/** A command may contain what opens a vault, and lists are pasted into tickets. */
function withoutSecrets(name: EffectiveName, text: string): string {
  if (name === 'api-key-command') return '(set)';
  return name === 'profile' ? text : (settings[name].withoutSecrets?.(text) ?? text);
}

function findEffective(
  name: EffectiveName,
  { profile, settings: all }: Session,
): Given | undefined {
  if (name === 'profile') return profile.given;
  return name === 'default-profile' ? findDefaultProfile(all.file) : all.find(name);
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
  const text = name === 'api-key-command' ? given.text : withoutSecrets(name, given.text);
  await output.print({ text: [text], record: toRow(name, { ...given, text }), columns });
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

export async function setSetting(
  session: Session,
  given: EffectiveName,
  value: string,
): Promise<void> {
  const name = given === 'profile' ? 'default-profile' : given;
  if (session.profile.isSandbox && settings[name].isFixedInSandbox) {
    throw usageFailure(ofSandbox, 'Add the profile that you mean: --profile production.');
  }
  settings[name].parse(value);
  if (name === 'default-profile') session.settings.requireProfile(value);
  await save(session, name, value);
}

export async function save(session: Session, name: SettingName, value?: string): Promise<void> {
  const { context, profile, report } = session;
  const path = name === 'default-profile' ? { name } : { name, profile: profile.name };
  const folder = requireOwnFolder(session);
  const { saveSetting } = await import('../settings/save.ts');
  const file = await saveSetting(context, folder, path, value);
  const phrase = 'profile' in path ? ` for profile ${path.profile}` : '';
  const saved = `saved ${name}=${value && withoutSecrets(name, value)}${phrase} in ${file}`;
  notice(report, value === undefined ? `removed ${name}${phrase} from ${file}` : saved);
}

/** Returns the settings folder, unless others can have written there: a save would make what they wrote the user's own. */
export function requireOwnFolder({ context, settings }: Session): string {
  const folder = requireConfigFolder(context);
  const { unreachable, open } = settings.file;
  const fault = unreachable ?? open;
  if (fault) throw fault.with({ consequence: 'Nothing was saved.' });
  refuseForeignFolder(folder, context);
  return folder;
}

export const unset: Verb = {
  takes: [['<setting>', 'name of the setting', settingNames]],
  examples: ['petstore config unset max-wait', 'petstore config unset output --profile staging'],
  onFault: 'go on',
  run: unsetSetting,
};

async function unsetSetting(session: Session, name: SettingName): Promise<void> {
  const { file } = session.settings;
  const saved = name === 'default-profile' ? file.saved[name] : session.settings.findSaved(name);
  if (saved === undefined) return notice(session.report, `${name} is not set`);
  await save(session, name);
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
