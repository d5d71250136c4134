// Keeps what V8 compiled of petstore's files for later starts. Node can too (module.enableCompileCache), but keeps no function that
// was compiled when it was called: that gains half as much.
const fs = require('node:fs');
const Module = require('node:module');
const { homedir } = require('node:os');
const { basename, dirname, isAbsolute, join, sep } = require('node:path');
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const dist = join(__dirname, '..', 'dist') + sep;

/** The state folder, as src/settings/folders.ts finds it. */
function stateFolder(env, platform, home) {
  if (env.PETSTORE_STATE_DIR) return env.PETSTORE_STATE_DIR;
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'petstore');
  return join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'petstore');
}

/**
 * Whether only this user and root can change or replace a folder: what is in it will be run. On Windows it is in the user's
 * profile, which other users cannot change.
 */
function isSafe(folder, uid) {
  if (uid === undefined) return true;
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid: owner } = fs.lstatSync(path);
    const othersWrite = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    if ((owner !== uid && owner !== 0) || othersWrite) return false;
    if (path === dirname(path)) return true;
  }
}

/** The folder of this version and Node, made where the state folder exists; undefined where others could change it. */
function prepare(state, uid) {
  const { version } = require('../package.json');
  const real = fs.realpathSync.native(state);
  const all = join(real, 'compiled');
  const own = join(all, version, `${process.version}-${process.arch}`);
  if (!fs.existsSync(own)) {
    if (!isSafe(real, uid)) return undefined;
    fs.mkdirSync(own, { mode: 0o700, recursive: true });
    for (const other of fs.readdirSync(all)) {
      if (other !== version) fs.rmSync(join(all, other), { recursive: true, force: true });
    }
  }
  return isSafe(own, uid) ? own : undefined;
}

/**
 * V8 checks neither code nor, but for its length, the text that it is of, and damaged code crashes it. So a file holds the code
 * twice and then the text, and all must be the same.
 */
function readCode(path, text) {
  try {
    const kept = fs.readFileSync(path);
    const length = (kept.length - text.length) / 2;
    const code = kept.subarray(0, length);
    const isWhole = length > 0 && code.equals(kept.subarray(length, 2 * length));
    return isWhole && text.equals(kept.subarray(2 * length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function writeCode(path, code, text) {
  try {
    fs.writeFileSync(path, Buffer.concat([code, code, text]), { mode: 0o600 });
  } catch {
    // A full disk, or `petstore reset`: the next start compiles again.
  }
}

function keepIn(folder) {
  let scripts = [];
  let compiled = false;
  const compile = Module.prototype._compile;

  Module.prototype._compile = function (content, filename, ...rest) {
    if (!filename.startsWith(dist)) return compile.call(this, content, filename, ...rest);
    const text = Buffer.from(content);
    // V8 takes code from the same version, flags and processor alone, which this stands for.
    const tag = cachedDataVersionTag();
    const path = join(folder, `${basename(filename, '.js')}-${tag.toString(16)}.code`);
    const script = new Script(Module.wrap(content), { filename, cachedData: readCode(path, text) });
    scripts.push({ path, tag, script, text });
    compiled ||= script.cachedDataRejected !== false;
    const load = Module.createRequire(filename);
    return script.runInThisContext()(this.exports, load, this, filename, dirname(filename));
  };

  // By then, what has been called is compiled. A command that loads a file for the first time calls more of the others too.
  process.on('exit', () => {
    if (!compiled) return;
    write();
    // Those that src/node/undici.ts sets: what was loaded before it is loaded without them.
    for (const flag of ['--wasm-tier-up', '--wasm-dynamic-tiering', '--no-wasm-lazy-validation']) {
      setFlagsFromString(flag);
    }
    write();
  });

  /** Writes the code of what was loaded with the flags that are set now: V8 marks it with these. */
  function write() {
    const now = cachedDataVersionTag();
    for (const { path, tag, script, text } of scripts) {
      if (tag === now) writeCode(path, script.createCachedData(), text);
    }
    scripts = scripts.filter(({ tag }) => tag !== now);
  }
}

/** Turned off by the variables that configure Node's own cache. A failure costs nothing but time. */
function keepCompiled({ env, platform, getuid }) {
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const state = stateFolder(env, platform, homedir());
    const folder = isAbsolute(state) && prepare(state, getuid?.());
    if (folder) keepIn(folder);
  } catch {
    // No state folder yet, or one that cannot be written.
  }
}

module.exports = { keepCompiled, stateFolder };
