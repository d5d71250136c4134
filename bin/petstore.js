#!/usr/bin/env node

const { argv } = process;

// Asked for by scripts at every start of theirs, so answered before anything else is loaded.
if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  const { version } = require('../package.json');
  try {
    require('node:fs').writeSync(1, `${version}\n`);
  } catch {
    process.stderr.write('petstore: cannot write the version to standard output\n');
    process.exitCode = 74;
  }
} else {
  require('../dist/main.js');
}
