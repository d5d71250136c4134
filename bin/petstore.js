#!/usr/bin/env node

const { argv, env } = process;

const version = () => `${require('../package.json').version}\n`;
const answers = { '--version': version, '-V': version, '--help': help, '-h': help };

/** The first page, which is prepared for 80 columns and more; undefined where it has to be laid out. */
function help() {
  const { fstatSync, readFileSync } = require('node:fs');
  if (env.COLUMNS || env.FORCE_COLOR) return undefined;
  const page = readFileSync(`${__dirname}/../dist/help.txt`, 'utf8');
  // A terminal's stream takes time to set up: not for a pipe.
  if (!fstatSync(1).isCharacterDevice()) return page;
  const { isTTY, columns } = process.stdout;
  if (!isTTY) return page;
  if (columns < 80) return undefined;
  const isPlain = env.NO_COLOR || env.TERM === 'dumb';
  return isPlain ? page : page.replace(/^\S.*:$(?=\n {2})/gm, '\x1b[1m$&\x1b[22m');
}

// Asked for by scripts at every start of theirs, so answered before anything else is loaded.
const text = argv.length === 3 && Object.hasOwn(answers, argv[2]) && answers[argv[2]]();
if (text) {
  try {
    require('node:fs').writeSync(1, text);
  } catch ({ code }) {
    // As for any other result: the reader went away.
    if (code === 'EPIPE') process.exitCode = 141;
    else {
      process.stderr.write(`petstore: cannot write to standard output (${code})\n`);
      process.exitCode = 74;
    }
  }
} else {
  // Node would open a debugger's port for it, with the key in memory; no child inherits a listener.
  process.on('SIGUSR1', () => {});
  require('./compile-cache.js').keepCompiled(process);
  require('../dist/main.js');
}
