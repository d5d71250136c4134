import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/program.ts';

/** Emits warnings at the start and later, as Node or a library would. */
const preload = `
process.emitWarning('a leak', 'MaxListenersExceededWarning');
const warn = () => process.emitWarning('old', { type: 'DeprecationWarning', code: 'DEP9999' });
process.nextTick(() => setImmediate(warn));
`;

test('a warning of Node is a notice with --verbose, and dropped without it', async ({
  petstore,
  serve,
  folder,
}) => {
  const path = join(folder, 'preload.cjs');
  writeFileSync(path, preload);
  const { env } = await serve();
  const list = async (...flags: string[]) => {
    const options = { env: { ...env, NODE_OPTIONS: `--require ${path}` } };
    const { code, stderr } = await petstore(['categories', 'list', '--json', ...flags], options);
    expect(code).toBe(0);
    const events = stderr.trimEnd().split('\n');
    return events.map((line) => JSON.parse(line)).filter(({ event }) => event === 'notice');
  };

  const { length } = await list();
  const notices = (await list('-v')).map(({ message }) => message);

  expect(length).toBe(0);
  expect(notices).toContain('Node.js warning: MaxListenersExceededWarning: a leak');
  expect(notices).toContain('Node.js warning: DeprecationWarning: old');
});
