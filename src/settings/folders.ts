import { isAbsolute, join, normalize, posix, win32 } from 'node:path';
import type { Context } from '../context.ts';
import { saving } from '../disk/files.ts';
import { findForeignFault } from '../disk/private-folder.ts';
import { configFailure, Failure, unsentFailure } from '../errors.ts';
import { quoted } from '../text/quote.ts';

type Machine = Pick<Context, 'env' | 'platform' | 'home'>;

/** Ignores a relative folder, as XDG says; undefined if none is left: keys would end up in whatever folder the user is in. */
export function configFolder({ env, platform, home }: Machine): string | undefined {
  const own = ownFolder('PETSTORE_CONFIG_DIR', { env, platform });
  if (own !== undefined) return own;
  if (platform === 'win32' && env.APPDATA) return below(platform, env.APPDATA, 'petstore/Config');
  if (platform === 'darwin') return below(platform, home, 'Library/Preferences/petstore');
  const xdg = below(platform, env.XDG_CONFIG_HOME ?? '', 'petstore');
  return xdg ?? below(platform, home, '.config/petstore');
}

export function stateFolder({ env, platform, home }: Machine): string | undefined {
  const own = ownFolder('PETSTORE_STATE_DIR', { env, platform });
  if (own !== undefined) return own;
  if (platform === 'win32' && env.LOCALAPPDATA)
    return below(platform, env.LOCALAPPDATA, 'petstore');
  const xdg = below(platform, env.XDG_STATE_HOME ?? '', 'petstore');
  return xdg ?? below(platform, home, '.local/state/petstore');
}

export function requireConfigFolder(machine: Machine): string {
  const names = ['XDG_CONFIG_HOME', 'APPDATA', 'PETSTORE_CONFIG_DIR'] as const;
  return configFolder(machine) ?? failWithout(machine, ...names);
}

export function requireStateFolder(machine: Machine): string {
  const names = ['XDG_STATE_HOME', 'LOCALAPPDATA', 'PETSTORE_STATE_DIR'] as const;
  return stateFolder(machine) ?? failWithout(machine, ...names);
}

function ownFolder(variable: string, { env, platform }: Pick<Machine, 'env' | 'platform'>) {
  const folder = env[variable];
  if (!folder) return undefined;
  // Windows takes slashes as well, but what we put after it would show both.
  if (isAbsolute(folder)) return platform === 'win32' ? normalize(folder) : folder;
  throw configFailure(
    `invalid folder ${quoted(folder)} from ${variable}: must be an absolute path`,
    'Write a path that begins at the root.',
  );
}

function below(platform: string, parent: string, path: string): string | undefined {
  // A drive letter makes a path absolute on Windows alone.
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  return isAbsolute(parent) ? join(parent, path) : undefined;
}

function failWithout({ platform }: Machine, xdg: string, onWindows: string, own: string): never {
  const parent = platform === 'win32' ? onWindows : `HOME (or ${xdg})`;
  const message = `cannot store anything: ${parent} is not an absolute path`;
  throw unsentFailure('output', message, `Set ${own} to a folder that you own.`);
}

export function refuseForeignFolder(path: string, { uid }: Pick<Context, 'uid'>): void {
  const fault = saving(path, () => findForeignFault(path, uid));
  if (!fault) return;
  const details = { consequence: 'Nothing was saved.', hint: fault.details.hint };
  throw new Failure('config', fault.message, details);
}
