// Has Node keep what V8 compiled of petstore (module.enableCompileCache, Node 22.8 and later): a tenth of each later start.
const { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const { version } = require('../package.json');

/** The state folder, as src/settings/folders.ts finds it; undefined where that is none. */
function stateFolder(env, platform, home) {
  if (env.PETSTORE_STATE_DIR) return env.PETSTORE_STATE_DIR;
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'petstore');
  return join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'petstore');
}

/**
 * Whether nobody but this user and root can put something in the place of a folder: what is in it will be run.
 * Windows says so by the folder alone, which is in the user's profile.
 */
function isSafe(folder, uid) {
  if (uid === undefined) return true;
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid: owner } = lstatSync(path);
    const othersWrite = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    if ((owner !== uid && owner !== 0) || othersWrite) return false;
    if (path === dirname(path)) return true;
  }
}

/** The folder of this version, made where the state folder exists. Those of other versions are of no use any more. */
function prepare(state, uid) {
  const all = join(realpathSync(state), 'compiled');
  const own = join(all, version);
  mkdirSync(all, { mode: 0o700, recursive: true });
  if (!isSafe(all, uid)) return undefined;
  try {
    mkdirSync(own, { mode: 0o700 });
    for (const other of readdirSync(all)) {
      if (other !== version) rmSync(join(all, other), { recursive: true, force: true });
    }
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  return isSafe(own, uid) ? own : undefined;
}

/** What goes wrong costs time alone. Where Node was asked to keep it elsewhere, or not at all, it does that. */
function keepCompiled({ env, platform, getuid }) {
  if (!enableCompileCache || env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const state = stateFolder(env, platform, homedir());
    const folder = isAbsolute(state) && prepare(state, getuid?.());
    if (folder) enableCompileCache(folder);
  } catch {
    // No state folder yet, or one that cannot be written.
  }
}

module.exports = { keepCompiled, stateFolder };
