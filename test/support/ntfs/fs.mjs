// node:fs on Linux, refusing what Windows and NTFS refuse below the folders that NTFS_FOLDER begins: files that are open are
// neither replaced nor moved with their folder, what is deleted keeps its name until the last handle is closed, a rename replaces no
// folder, names that differ in case are one, and there are no modes and no owners.
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';

export * from 'node:fs';

const { O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, ...windows } = fs.constants;
export const constants = windows;
process.getuid = undefined;
process.geteuid = undefined;

const below = process.env.NTFS_FOLDER ?? '/none';
/** The mode of a file that is deleted, but open. */
const pending = 0o1000;

const refuse = (code, syscall, path) => {
  throw Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
};

/** The path by the names that are there, whatever their case. */
function named(path) {
  const text = `${path}`;
  if (!text.startsWith(below) || fs.existsSync(text) || text === dirname(text)) return path;
  const folder = named(dirname(text));
  const wanted = basename(text).toLowerCase();
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return join(folder, names.find((name) => name.toLowerCase() === wanted) ?? basename(text));
}

/** What this process has open: the tests that run here are in memory, so no other one has anything of theirs. */
function openFiles() {
  return fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // It listed the folder, and is closed.
      return [];
    }
  });
}

const isOpen = (path) => fs.lstatSync(path).isFile() && openFiles().includes(fs.realpathSync(path));

/** The path, once what was deleted there is gone if nothing has it open any more. */
function settled(path) {
  const found = named(path);
  if (!`${found}`.startsWith(below) || !isPending(found)) return found;
  if (!isOpen(found)) fs.rmSync(found, { force: true });
  return found;
}

function isPending(path) {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & pending) !== 0;
}

function live(path, syscall) {
  const found = settled(path);
  if (`${found}`.startsWith(below) && isPending(found)) refuse('EPERM', syscall, path);
  return found;
}

function withoutModes(stats) {
  if (stats) {
    const sameType = typeof stats.mode === 'bigint' ? BigInt : Number;
    stats.mode = sameType((Number(stats.mode) & ~0o7777) | 0o666);
    stats.uid = sameType(0);
    stats.gid = sameType(0);
  }
  return stats;
}

export function openSync(path, flags, mode) {
  if (!`${path}`.startsWith(below)) return fs.openSync(path, flags, mode);
  const found = live(path, 'open');
  // Windows has no pipes in folders, so none is waited for.
  return fs.openSync(found, typeof flags === 'number' ? flags | O_NONBLOCK : flags, mode);
}

export function renameSync(from, to) {
  if (!`${to}`.startsWith(below)) return fs.renameSync(from, to);
  const [source, target] = [live(from, 'rename'), live(to, 'rename')];
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  if (there?.isDirectory()) refuse('EPERM', 'rename', to);
  const open = openFiles();
  if (there && open.includes(fs.realpathSync(target))) refuse('EPERM', 'rename', to);
  const inside = `${fs.realpathSync(source)}/`;
  if (open.some((file) => file.startsWith(inside))) refuse('EPERM', 'rename', from);
  // The new name has the case that was asked for.
  if (there && target !== to && target !== source) fs.unlinkSync(target);
  fs.renameSync(source, to);
}

export function unlinkSync(path) {
  const found = live(path, 'unlink');
  if (`${found}`.startsWith(below) && fs.existsSync(found) && isOpen(found)) {
    fs.chmodSync(found, (fs.statSync(found).mode & 0o777) | pending);
  } else {
    fs.unlinkSync(found);
  }
}

export function rmSync(path, options = {}) {
  const found = settled(path);
  if (!`${found}`.startsWith(below)) return fs.rmSync(path, options);
  const stats = fs.lstatSync(found, { throwIfNoEntry: false });
  if (!stats && options.force) return;
  if (!stats) refuse('ENOENT', 'rm', path);
  if (!stats.isDirectory()) return unlinkSync(found);
  if (!options.recursive) refuse('ERR_FS_EISDIR', 'rm', path);
  for (const name of fs.readdirSync(found)) rmSync(join(found, name), options);
  rmdirSync(found);
}

export function rmdirSync(path) {
  const found = named(path);
  // What was deleted keeps its folder from being empty.
  if (`${found}`.startsWith(below) && fs.existsSync(found)) {
    for (const name of fs.readdirSync(found)) settled(join(found, name));
  }
  fs.rmdirSync(found);
}

export function readdirSync(path, ...rest) {
  const found = named(path);
  if (`${found}`.startsWith(below) && fs.existsSync(found) && fs.statSync(found).isDirectory()) {
    for (const name of fs.readdirSync(found)) settled(join(found, name));
  }
  return fs.readdirSync(found, ...rest);
}

export const linkSync = (from, to) => fs.linkSync(live(from, 'link'), live(to, 'link'));
export const mkdirSync = (path, options) => fs.mkdirSync(live(path, 'mkdir'), options);
export const statSync = (path, options) => withoutModes(fs.statSync(live(path, 'stat'), options));
export const lstatSync = (path, options) => withoutModes(fs.lstatSync(settled(path), options));
export const fstatSync = (file, options) => withoutModes(fs.fstatSync(file, options));
export const existsSync = (path) => fs.existsSync(settled(path));
export const realpathSync = (path, ...rest) => fs.realpathSync(named(path), ...rest);
export const readFileSync = (path, ...rest) =>
  fs.readFileSync(typeof path === 'number' ? path : live(path, 'open'), ...rest);
export const writeFileSync = (path, ...rest) =>
  fs.writeFileSync(typeof path === 'number' ? path : live(path, 'open'), ...rest);
export const chmodSync = () => {};
export const chownSync = () => {};

export default {
  ...fs.default,
  constants,
  openSync,
  renameSync,
  unlinkSync,
  rmSync,
  rmdirSync,
  readdirSync,
  linkSync,
  mkdirSync,
  statSync,
  lstatSync,
  fstatSync,
  existsSync,
  realpathSync,
  readFileSync,
  writeFileSync,
  chmodSync,
  chownSync,
};
