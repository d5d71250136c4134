#!/usr/bin/env node

// On an older Node the guard of the key would be off. A test compares this with `engines` of package.json. Any Node since 8 must be
// able to read this file, so it has no `?.` and no `catch` without a name.
const needed = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  const found = `${process.version} (${process.execPath})`;
  fail(`petstore needs Node ${needed.join('.')} or later; this is ${found}\nNothing was sent.`);
} else if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  // Scripts often ask for the version, so nothing else is loaded for it.
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
  } catch ({ code }) {
    process.exitCode = code === 'EPIPE' ? 141 : 74;
    if (code !== 'EPIPE') console.error(`petstore: cannot write to standard output (${code})`);
  }
} else {
  // Node would open a debugger's port on SIGUSR1, with the key in memory. Children do not inherit a listener.
  process.on('SIGUSR1', () => {});
  // From Node 22 on, a start finds its code compiled here, 8 ms sooner, if the folder can be written. The default folder is not ours alone.
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache) enableCompileCache(`${__dirname}/../dist/.cache`);
  try {
    require('../dist/main.js');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    fail('petstore: this checkout is not built\nNothing was sent.\nRun: npm ci --include=dev');
  }
}

/** @param {string} message */
function fail(message) {
  process.exitCode = 2;
  console.error(message);
}
