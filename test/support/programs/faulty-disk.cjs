// Spoils the N-th call that touches the folder FAULT_FOLDER: it fails once (EIO), the disk is full from there on (ENOSPC),
// it takes a part only (short), or it is the process's last one (kill). FAULT_SYNCED is told how much of a file would last.
const fs = require('node:fs');

const { FAULT, FAULT_FOLDER, FAULT_AT, FAULT_SYNCED } = process.env;
const side = FAULT_SYNCED && fs.openSync(FAULT_SYNCED, 'w');
const files = new Set();
let calls = 0;

const writing = ['writeSync', 'write'];
const taking = ['mkdirSync', 'writeFileSync', 'linkSync', ...writing];
const all = ['openSync', 'fsyncSync', 'fdatasync', 'ftruncateSync', 'renameSync', ...taking];
const counted = FAULT === 'short' ? writing : FAULT === 'ENOSPC' ? taking : all;

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
    if (due ? FAULT !== 'short' : FAULT === 'ENOSPC') return fail();
    return done(real);

    function done(call) {
      if (name === 'fdatasync') return call(target, note(rest[0]));
      const result = call(target, ...rest);
      // A number is given out again when its file is closed.
      if (name === 'openSync') touches ? files.add(result) : files.delete(result);
      return result;
    }

    function note(callback) {
      return (error) => {
        // One write of a fixed width is never seen in part.
        if (side && !error) fs.writeSync(side, String(fs.fstatSync(target).size).padStart(16), 0);
        callback(error);
      };
    }

    /** The call with five bytes of what it was to write, which may be a text: then no offset follows it. */
    function part() {
      const [data, second = 0] = rest.filter((value) => typeof value !== 'function');
      const [bytes, offset] = typeof data === 'string' ? [Buffer.from(data), 0] : [data, second];
      const callback = rest.filter((value) => typeof value === 'function');
      return real(target, bytes, offset, Math.min(5, bytes.length - offset), null, ...callback);
    }

    function fail() {
      const error = Object.assign(new Error(name), { code: FAULT });
      const callback = rest.at(-1);
      if (typeof callback !== 'function') throw error;
      process.nextTick(callback, error);
    }
  };
  // With what promisify wants to know of it.
  fs[name] = Object.defineProperties(spoilt, Object.getOwnPropertyDescriptors(real));
}

process.on('exit', () => {
  if (calls < Number(FAULT_AT)) process.exitCode = 99;
});
