import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';

/** Emits one warning of each kind, at the start and later, as a module of Node or of somebody else would. */
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

describe('a warning of Node', () => {
  const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1', PETSTORE_API_KEY: 'a-key-of-the-test' };

  test.for([
    { what: 'is a notice with --verbose', verbose: ['-v'], told: 6 },
    { what: 'never reaches stderr without it', verbose: [], told: 0 },
  ])('$what', async ({ verbose, told }, { petstore, folder }) => {
    const path = join(folder, 'preload.cjs');
    writeFileSync(path, preload);
    const options = { env: { ...env, NODE_OPTIONS: `--require ${path}` } };

    const result = await petstore(['categories', 'list', '--json', ...verbose], options);

    expect(result.code).toBe(5);
    const events = result.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const messages = events.filter(({ event }) => event === 'notice').map(({ message }) => message);
    const warnings = messages.filter((message) => message.startsWith('Node.js warning: '));
    expect(warnings).toHaveLength(told);
    if (told > 0) {
      expect(warnings).toContain(
        'Node.js warning: MaxListenersExceededWarning: a leak at the start',
      );
      expect(warnings).toContain('Node.js warning: DeprecationWarning: old later');
    }
  });
});
