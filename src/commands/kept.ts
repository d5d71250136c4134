import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import type { Context } from '../context.ts';
import { type Found, inventory, type Known } from '../disk/inventory.ts';
import { faultOfFolder } from '../disk/private-folder.ts';
import { temporaryFolder } from '../pacing/log-folders.ts';
import { settingsFile } from '../settings/file.ts';
import { configFolder, requireConfigFolder, stateFolder } from '../settings/folders.ts';
import { profileOfKey } from '../settings/keys.ts';
import { hasBlock } from './completion/block.ts';
import type { Shell } from './completion/scripts.ts';
import { installable, startupFile } from './completion/startup-file.ts';
import { inSettings, inState, type Kind, limits } from './kept-names.ts';

/** Something that petstore keeps on this machine, or that is in one of its folders. */
export type Kept = Found<Kind> & {
  /** The one whose completion it is. */
  readonly shell?: Shell;
};

type Place = readonly [path: string, what: string, known: readonly Known<Kind>[]];

/** All that petstore keeps on this machine, by the settings of this run; folders before what is in them. @throws Failure (config, output) */
export function listKept(context: Context): readonly Kept[] {
  return [...places(context).flatMap(inPlace), ...completions(context), ...runs(context)];
}

/** The folders and the file that petstore would make first, where they do not exist. @throws Failure (config) */
export function listMissing(context: Context): readonly Pick<Kept, 'path' | 'what'>[] {
  const first = [
    ...places(context).map(([path, what]) => ({ path, what })),
    { path: join(requireConfigFolder(context), settingsFile), what: 'settings' },
  ];
  return first.filter(({ path }) => !existsSync(path));
}

function places(context: Context): readonly Place[] {
  const [settings, state] = [configFolder(context), stateFolder(context)];
  const temporary = temporaryFolder(context);
  const all: Place[] = [];
  if (settings !== undefined && settings === state) {
    all.push([settings, 'settings and state', [...inSettings, ...inState]]);
  } else {
    if (settings !== undefined) all.push([settings, 'settings folder', inSettings]);
    if (state !== undefined) all.push([state, 'state folder', inState]);
  }
  // Any user may have made it.
  if (!faultOfFolder(temporary, context.uid)) {
    all.push([temporary, 'temporary state folder', [limits]]);
  }
  return all;
}

function inPlace([path, what, known]: Place): Kept[] {
  if (!existsSync(path)) return [];
  return [{ path, what, kind: 'place' }, ...[...inventory(path, known)].map(checked)];
}

/** No file without the name of a profile is a key's. */
function checked(found: Kept): Kept {
  if (found.kind !== 'key' || profileOfKey(basename(found.path)) !== undefined) return found;
  return { ...found, kind: 'unknown', what: 'not a file of petstore' };
}

function completions(context: Context): Kept[] {
  if (!isAbsolute(context.home)) return [];
  return installable
    .map((shell) => ({ shell, path: startupFile(shell, context) }))
    .filter(({ path }) => hasCompletion(path))
    .map(({ shell, path }) => ({
      path,
      kind: 'completion' as const,
      shell,
      what:
        shell === 'fish' ? 'completion for fish' : `completion for ${shell}: lines in this file`,
    }));
}

function hasCompletion(path: string): boolean {
  try {
    return hasBlock(readFileSync(path, 'latin1'));
  } catch {
    // Not there, or no file of the user's.
    return false;
  }
}

/** Of sandboxes that run, or were killed. */
function runs({ env, temporary, platform }: Context): Kept[] {
  // In the order of Node's own tmpdir().
  const { TMPDIR, TMP, TEMP } = env;
  const folder = (platform === 'win32' ? TEMP || TMP : TMPDIR || TMP || TEMP) || temporary;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^petstore-sandbox-\w{6}$/.test(name))
    .map((name) => ({
      path: join(folder, name),
      kind: 'run' as const,
      what: 'folder of petstore sandbox -- COMMAND',
    }));
}
