import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { plans } from '../../plans.ts';
import { loadSettingsFile, profileNames } from '../../session/profile.ts';
import { settingNames, settings } from '../../settings/table.ts';
import { builtInProfiles } from '../../settings/values.ts';
import { columnsOf } from '../columns.ts';
import { wordsOf } from '../help.ts';
import type { Wanted } from './candidates.ts';

/** The values of an argument or option that are no choices of it; `files` are for the shell to find. */
export function knownValues(
  { kind, command, args, last }: Wanted,
  context: Context,
): readonly string[] | 'files' {
  switch (kind) {
    case 'file':
    case 'command':
      return 'files';
    case 'profile':
      return namesOfProfiles(context);
    case 'setting':
      return wordsOf(command) === 'config get' ? ['profile', ...settingNames] : settingNames;
    case 'value':
      return valuesOfSetting(args[0] ?? '', context);
    case 'columns':
      return lists(columnsOf(command), last);
    default:
      return [];
  }
}

function valuesOfSetting(name: string, context: Context): readonly string[] {
  if (name === 'default-profile') return namesOfProfiles(context);
  if (name === 'plan') return Object.keys(plans);
  const setting = settingNames.find((known) => known === name);
  return (setting && settings[setting].choices) ?? [];
}

/** The list that was begun with one name more: `id,` may become `id,name`. */
function lists(names: readonly string[], last: string): readonly string[] {
  const begun = last.slice(0, last.lastIndexOf(',') + 1);
  const taken = begun.split(',');
  return names.filter((name) => !taken.includes(name)).map((name) => begun + name);
}

/** Returns every profile. */
function namesOfProfiles(context: Context): readonly string[] {
  try {
    return profileNames(loadSettingsFile(context));
  } catch (error) {
    // Settings that cannot be read have no profiles: an error is of no use at a Tab.
    if (error instanceof Failure) return builtInProfiles;
    throw error;
  }
}
