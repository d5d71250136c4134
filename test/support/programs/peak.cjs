// Loaded before a program: writes down the most memory that it took, in KiB.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

process.once('exit', () => {
  writeFileSync(process.env.PETSTORE_TEST_PEAK, String(peak()));
});

function peak() {
  const path = '/proc/self/status';
  // What the system tells of resources counts in the memory of the process that started this one.
  if (!existsSync(path)) return process.resourceUsage().maxRSS;
  return /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1];
}
