// Run by Node for Windows under Wine, where pipes of Linux cannot be a program's streams: starts what a test asks for over a
// connection, line by line, and sends back what it prints and how it ends.
const { spawn } = require('node:child_process');
const { connect } = require('node:net');
const { dirname } = require('node:path');
const { createInterface } = require('node:readline');

const socket = connect(Number(process.argv[2]), '127.0.0.1');
const children = new Map();
const send = (message) => socket.write(`${JSON.stringify(message)}\n`);

// As Windows spells it, which Wine does not.
const { PATH, ...inherited } = process.env;
const Path = `${dirname(process.execPath)};${PATH}`;

function start({ id, program, args, env, cwd, stdin }) {
  const options = { cwd, env: { ...inherited, Path, ...env } };
  // Without arguments it is a line for cmd.exe.
  const child = spawn(program, args ?? { ...options, shell: true }, options);
  children.set(id, child);
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => send({ id, name, text }));
  }
  child.stdin.on('error', () => {}).end(Buffer.from(stdin, 'base64'));
  child.once('error', ({ message }) => send({ id, name: 'stderr', text: message }));
  child.once('close', (code) => {
    children.delete(id);
    send({ id, code });
  });
}

createInterface({ input: socket }).on('line', (line) => {
  const request = JSON.parse(line);
  if (request.kill) children.get(request.id)?.kill();
  else start(request);
});
socket.on('close', () => {
  for (const child of children.values()) child.kill();
  process.exit();
});
send({ id: 0 });
