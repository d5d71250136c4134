import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { readSettings } from '../../settings/file.ts';
import { configFolder } from '../../settings/folders.ts';
import { settingNames } from '../../settings/names.ts';
import { builtInProfiles, isProfileName } from '../../settings/values.ts';

/** The values of a kind of argument or option that are no choices of it; `files` are for the shell to find. */
export function knownValues(kind: string, context: Context): readonly string[] | 'files' {
  if (kind === 'file' || kind === 'command') return 'files';
  if (kind === 'profile') return profileNames(context);
  return kind === 'setting' ? settingNames : [];
}

/** The profiles there always are, and those of the settings; no name that could mean something to a shell. */
function profileNames(context: Context): readonly string[] {
  try {
    const folder = configFolder(context);
    const { profiles = {} } = folder === undefined ? {} : readSettings(folder);
    return [...new Set([...builtInProfiles, ...Object.keys(profiles)])].filter(isProfileName);
  } catch (error) {
    // Settings that cannot be read have no profiles: who presses Tab wants no error.
    if (error instanceof Failure) return builtInProfiles;
    throw error;
  }
}
