// Spoils the N-th call that touches the folder FAULT_FOLDER: it fails once (EIO), the disk is full from there on (ENOSPC),
// it takes a part only (short), it makes no hard links from there on (EPERM), or it is the process's last one (kill).
const fs = require('node:fs');

const { FAULT, FAULT_FOLDER, FAULT_AT } = process.env;
const files = new Set();
const names = new Map();
/** Files whose bytes a power cut would take: none of them may get the name of one that lasts. */
const unsynced = new Set();
let calls = 0;

const writing = ['writeSync', 'write'];
const taking = ['mkdirSync', 'writeFileSync', 'linkSync', ...writing];
const all = ['openSync', 'fsyncSync', 'fdatasyncSync', 'ftruncateSync', 'renameSync', ...taking];
const counted = { short: writing, ENOSPC: taking, EPERM: ['linkSync'] }[FAULT] ?? all;

for (const name of all) {
  const real = fs[name];
  const spoilt = (target, ...rest) => {
    const touches =
      typeof target === 'number' ? files.has(target) : `${target}`.startsWith(FAULT_FOLDER);
    if (touches && counted.includes(name)) calls += 1;
    const due = calls === Number(FAULT_AT);
    if (!touches || !counted.includes(name) || calls < Number(FAULT_AT)) return done(real);
    if (due && FAULT === 'kill') process.kill(process.pid, 'SIGKILL');
    if (due && FAULT !== 'EIO' && writing.includes(name)) return part();
    if (due ? FAULT !== 'short' : ['ENOSPC', 'EPERM'].includes(FAULT)) return fail();
    return done(real);

    function done(call) {
      if (name === 'renameSync' && unsynced.has(target)) throw new Error(`${target} is not synced`);
      const result = call(target, ...rest);
      if (name === 'openSync') names.set(result, target);
      if (writing.includes(name)) unsynced.add(names.get(target));
      if (/^f(data)?syncSync$/.test(name)) unsynced.delete(names.get(target));
      // A number is given out again when its file is closed.
      if (name === 'openSync') touches ? files.add(result) : files.delete(result);
      return result;
    }

    /** The call with five bytes of what it was to write, which may be a text: then no offset follows it. */
    function part() {
      const [data, second = 0] = rest.filter((value) => typeof value !== 'function');
      const [bytes, offset] = typeof data === 'string' ? [Buffer.from(data), 0] : [data, second];
      return real(target, bytes, offset, Math.min(5, bytes.length - offset), null);
    }

    function fail() {
      throw Object.assign(new Error(name), { code: FAULT });
    }
  };
  // With what promisify wants to know of it.
  fs[name] = Object.defineProperties(spoilt, Object.getOwnPropertyDescriptors(real));
}

process.on('exit', () => {
  if (calls < Number(FAULT_AT)) process.exitCode = 99;
});
