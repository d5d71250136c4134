#!/usr/bin/env node

const { argv } = process;

// Scripts ask for the version at every start of theirs, so nothing else is loaded for it.
if (argv.length === 3 && ['--version', '-V'].includes(argv[2])) {
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
  } catch ({ code }) {
    // As for any other result, the reader may have gone away.
    process.exitCode = code === 'EPIPE' ? 141 : 74;
    if (code !== 'EPIPE') console.error(`petstore: cannot write to standard output (${code})`);
  }
} else {
  // Node would open a debugger's port on SIGUSR1, with the key in memory; no child inherits a listener.
  process.on('SIGUSR1', () => {});
  require('../dist/main.js');
}
