// Makes the N-th call that touches the folder FAULT_FOLDER fail, fall short, or be the process's last one.
const fs = require('node:fs');

const { FAULT, FAULT_FOLDER, FAULT_AT } = process.env;
const files = new Set();
let calls = 0;

const names = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'writeSync',
  'fsyncSync',
  'linkSync',
  'renameSync',
];
for (const name of names) {
  const real = fs[name];
  fs[name] = (target, ...rest) => {
    const touches =
      typeof target === 'number' ? files.has(target) : `${target}`.startsWith(FAULT_FOLDER);
    if (!touches) return real(target, ...rest);
    calls += 1;
    if (calls === Number(FAULT_AT)) {
      if (FAULT === 'kill') process.kill(process.pid, 'SIGKILL');
      if (FAULT === 'fail') throw Object.assign(new Error(name), { code: 'EIO' });
      if (FAULT === 'short' && name === 'writeSync') return real(target, rest[0], rest[1] ?? 0, 5);
    }
    const result = real(target, ...rest);
    if (name === 'openSync') files.add(result);
    return result;
  };
}

process.on('exit', () => {
  if (calls < Number(FAULT_AT)) process.exitCode = 99;
});
