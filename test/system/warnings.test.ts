import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/program.ts';

/** Emits one warning of each kind, at the start and later, as Node or a library would. */
const preload = `
for (const when of ['at the start', 'later']) {
  const warn = () => {
    process.emitWarning('a leak ' + when, 'MaxListenersExceededWarning');
    process.emitWarning('not stable ' + when, 'ExperimentalWarning');
    process.emitWarning('old ' + when, { type: 'DeprecationWarning', code: 'DEP9999' });
  };
  if (when === 'later') process.nextTick(() => setImmediate(warn));
  else warn();
}
`;

test.for([
  ['a notice with --verbose', ['-v'], 6],
  ['dropped without it', [], 0],
] as const)('a warning of Node is %s', async ([, verbose, count], { petstore, serve, folder }) => {
  const path = join(folder, 'preload.cjs');
  writeFileSync(path, preload);
  const { env } = await serve();

  const { code, stderr } = await petstore(['categories', 'list', '--json', ...verbose], {
    env: { ...env, NODE_OPTIONS: `--require ${path}` },
  });

  const events = stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const warnings = events.filter(({ message }) => message?.startsWith('Node.js warning: '));
  expect(code).toBe(0);
  expect(warnings).toHaveLength(count);
  expect(warnings.every(({ event }) => event === 'notice')).toBe(true);
  for (const warning of [
    'MaxListenersExceededWarning: a leak at the start',
    'DeprecationWarning: old later',
  ]) {
    expect(stderr.includes(`Node.js warning: ${warning}`)).toBe(count > 0);
  }
});
