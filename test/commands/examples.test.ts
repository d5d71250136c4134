import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';
import { needsShell, readExamples } from '../support/tree.ts';
import { exact } from '../support/values.ts';

/** Serves until Ctrl-C. */
const endless = 'petstore sandbox --port 4010 --plan pro --data pets.json';

const examples = (await readExamples()).filter((line) => !needsShell(line) && line !== endless);

// The others are in test/system/examples.test.ts.
describe('the examples of the help that need no shell work as they are:', () => {
  test.for(examples)('%s', async (line, { petstore, sandbox, folder }) => {
    sandbox.categories.push({ id: exact('3'), name: 'dog' });
    writeFileSync(join(folder, 'pets.csv'), 'name\nparrot\n');

    const { exitCode, stderr } = await petstore(wordsOf(line, folder), {
      env: { SHELL: '/bin/bash' },
      stdin: testKey,
    });

    expect(exitCode, stderr).toBe(0);
  });
});

/** Returns the arguments of a command line, with files in that folder. */
function wordsOf(line: string, folder: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words
    .slice(1)
    .map((word) => word.replace(/["'](.*)["']/, '$1'))
    .map((word) => (/^(pets|backup)\./.test(word) ? join(folder, word) : word));
}
