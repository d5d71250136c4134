#!/usr/bin/env node

const { argv } = process;

const version = () => `${require('../package.json').version}\n`;
const help = () => require('node:fs').readFileSync(`${__dirname}/../dist/help.txt`);
const answers = { '--version': version, '-V': version, '--help': help, '-h': help };

// Asked for by scripts at every start of theirs, so answered before anything else is loaded.
if (argv.length === 3 && Object.hasOwn(answers, argv[2])) {
  const text = answers[argv[2]]();
  try {
    require('node:fs').writeSync(1, text);
  } catch {
    process.stderr.write(`petstore: cannot write to standard output what ${argv[2]} asks for\n`);
    process.exitCode = 74;
  }
} else {
  // Node would open a debugger's port for it, with the key in memory; no child inherits a listener.
  process.on('SIGUSR1', () => {});
  require('../dist/main.js');
}
