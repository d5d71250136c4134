import { isAbsolute, join, normalize, posix, win32 } from 'node:path';
import type { Context } from '../context.ts';
import { configFailure } from '../errors.ts';
import { settings } from './table.ts';

const { variable: configVariable } = settings['config-folder'];
const { variable: stateVariable } = settings['state-folder'];

type Machine = Pick<Context, 'env' | 'platform' | 'home'>;

/**
 * Where settings and keys are kept, or undefined when the home folder names no absolute path:
 * a relative one would put keys into whatever folder the user happens to be in.
 * @throws Failure (config) when PETSTORE_CONFIG_DIR is relative
 */
export function configFolder(machine: Machine): string | undefined {
  const { env, platform } = machine;
  if (env[configVariable]) return chosen(machine, configVariable);
  if (platform === 'win32' && env.APPDATA) {
    return below(machine, env.APPDATA, 'petstore', 'Config');
  }
  if (platform === 'darwin') {
    return below(machine, machine.home, 'Library', 'Preferences', 'petstore');
  }
  if (env.XDG_CONFIG_HOME) return below(machine, env.XDG_CONFIG_HOME, 'petstore');
  return below(machine, machine.home, '.config', 'petstore');
}

/** Where petstore keeps what it must remember between runs; as configFolder. */
export function stateFolder(machine: Machine): string | undefined {
  const { env, platform } = machine;
  if (env[stateVariable]) return chosen(machine, stateVariable);
  if (platform === 'win32' && env.LOCALAPPDATA) {
    return below(machine, env.LOCALAPPDATA, 'petstore');
  }
  if (env.XDG_STATE_HOME) return below(machine, env.XDG_STATE_HOME, 'petstore');
  return below(machine, machine.home, '.local', 'state', 'petstore');
}

/** The folder to store settings in. @throws Failure (config) when there is none */
export function requireConfigFolder(machine: Machine): string {
  return configFolder(machine) ?? nowhere(machine, ['XDG_CONFIG_HOME', 'APPDATA'], configVariable);
}

/** The folder for what must not be forgotten. @throws Failure (config) when there is none */
export function requireStateFolder(machine: Machine): string {
  return (
    stateFolder(machine) ?? nowhere(machine, ['XDG_STATE_HOME', 'LOCALAPPDATA'], stateVariable)
  );
}

function nowhere(
  { platform }: Machine,
  [standard, onWindows]: readonly [string, string],
  own: string,
): never {
  const parent = platform === 'win32' ? onWindows : `HOME (or ${standard})`;
  throw configFailure(
    `cannot store anything: ${parent} is not an absolute path`,
    `Set ${own} to a folder that you own.`,
  );
}

function below(
  { platform }: Machine,
  folder: string,
  ...path: readonly string[]
): string | undefined {
  // A drive letter makes a path absolute on Windows alone.
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  return isAbsolute(folder) ? join(folder, ...path) : undefined;
}

function chosen({ env, platform }: Machine, variable: string): string {
  const folder = env[variable] ?? '';
  // Windows takes slashes as well, but what we put after it would show both.
  if (isAbsolute(folder)) return platform === 'win32' ? normalize(folder) : folder;
  throw configFailure(`${variable} must be an absolute path, not "${folder}"`);
}
