import { chmodSync, lstatSync, readFileSync, realpathSync, renameSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Context } from '../../context.ts';
import { saving } from '../../disk/files.ts';
import { makePrivateFolder, syncFolder } from '../../disk/folders.ts';
import { writeNew } from '../../disk/new-file.ts';
import { isOurs } from '../../disk/private-folder.ts';
import { retryOnWindows } from '../../disk/retry-on-windows.ts';
import { nameTemporary, sweep } from '../../disk/temporary.ts';
import { configFailure, usageFailure } from '../../errors.ts';
import type { Shell } from './scripts.ts';

/** A shell whose files are known; where PowerShell has its profile, only PowerShell can say. */
export const installable = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];
export type Installable = (typeof installable)[number];

const inPowerShell = {
  install: 'In PowerShell: petstore completion powershell >> $PROFILE',
  uninstall: 'Remove the petstore lines from $PROFILE.',
};

/** The shell that is named, or else the one in use; `verb` is what shall be done in it. @throws Failure (usage) */
export function chooseShell(
  { env, platform }: Context,
  named: Shell | undefined,
  verb: keyof typeof inPowerShell,
): Installable {
  const used = basename(env.SHELL ?? '').replace(/\.exe$/, '');
  const shell = named ?? (used === '' && platform === 'win32' ? 'powershell' : used);
  const found = installable.find((known) => known === shell);
  if (found !== undefined) return found;
  if (shell === 'powershell' || shell === 'pwsh') {
    throw usageFailure(
      'PowerShell is not supported by completion install and uninstall',
      inPowerShell[verb],
    );
  }
  throw usageFailure(
    used === ''
      ? 'cannot detect your shell: SHELL is not set'
      : `no completion for ${used} (SHELL)`,
    `Name bash, zsh or fish: petstore completion ${verb} bash`,
  );
}

/** The file that a shell reads at its start; fish has one for petstore alone. @throws Failure (config) */
export function startupFile(shell: Installable, { env, home, platform }: Context): string {
  if (!isAbsolute(home))
    throw configFailure(
      `cannot find your home folder: ${platform === 'win32' ? 'USERPROFILE' : 'HOME'} is not set`,
    );
  const folder = (variable: string | undefined, usual: string) =>
    variable !== undefined && isAbsolute(variable) ? variable : usual;
  switch (shell) {
    case 'bash':
      // Terminals of macOS start login shells, which read no other file.
      return join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc');
    case 'zsh':
      return join(folder(env.ZDOTDIR, home), '.zshrc');
    case 'fish':
      return join(
        folder(env.XDG_CONFIG_HOME, join(home, '.config')),
        'fish/completions/petstore.fish',
      );
  }
}

/**
 * Replaces a file whole or not at all, and returns whether `edit` changed its text. A link stays a link, and what it leads to
 * keeps its mode. Text is taken byte by byte, so that what is not ours stays as it is in any encoding.
 * @throws Failure (config) for what is no file of the user's, Failure (output) when it cannot be read or written
 */
export function editFile(
  path: string,
  uid: number | undefined,
  edit: (text: string) => string,
): boolean {
  return saving(path, () => {
    const link = lstatSync(path, { throwIfNoEntry: false });
    const target = link?.isSymbolicLink() ? realpathSync(path) : path;
    const stats = lstatSync(target, { throwIfNoEntry: false });
    if (stats) refuse(target, stats, uid);
    const text = stats ? readFileSync(target, 'latin1') : '';
    const edited = edit(text);
    if (edited === text) return false;
    makePrivateFolder(dirname(target));
    replace(target, Buffer.from(edited, 'latin1'), stats);
    return true;
  });
}

/** @throws Failure (config) */
function refuse(path: string, stats: Stats, uid: number | undefined): void {
  if (!stats.isFile()) throw configFailure(`${path} is not a regular file`);
  if (!isOurs(path, stats, uid)) throw configFailure(`${path} belongs to another user`);
}

/** @throws the system's error */
function replace(path: string, bytes: Uint8Array, before: Stats | undefined): void {
  const temporary = nameTemporary(path);
  try {
    writeNew(temporary, bytes, before);
    if (before) chmodSync(temporary, before.mode & 0o777);
    retryOnWindows(() => renameSync(temporary, path));
    syncFolder(dirname(path));
  } catch (error) {
    sweep([temporary]);
    throw error;
  }
}
