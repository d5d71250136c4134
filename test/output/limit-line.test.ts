import { describe } from 'vitest';
import { expect, type Fixtures, outputTo, test } from '../support/petstore.ts';
import type { Output } from '../support/values.ts';

const list = ['categories', 'list', '-o', 'csv', '--columns', 'id'];
const limitLine = /^rate limit: 59 of 60 left, resets in (1m|\d+s) \(15:0[45]:\d\dZ\)$/;

describe('the line on the limit', () => {
  test.for([
    // A pager may read the result: afterwards the line would be in the midst of its screen.
    ['before', false, true],
    ['after', true, true],
    ['after', false, false],
    ['after', true, false],
  ] as const)('comes %s the result: stdout a terminal %s, stderr %s', async (row, { petstore }) => {
    const [place, stdout, stderr] = row;

    const lines = await run(petstore, list, { stdout, stderr });

    const said = [expect.stringMatching(limitLine), 'id'];
    expect(lines).toEqual(place === 'before' ? said : said.reverse());
  });

  test('is said before a failure, and not with --quiet', async ({ petstore }) => {
    const argv = ['api', 'GET', '/nowhere'];

    const lines = await run(petstore, argv);
    const quiet = await run(petstore, [...argv, '--quiet']);

    const failure = expect.stringMatching(/^petstore: .*404/);
    expect(lines.slice(0, 2)).toEqual([expect.stringMatching(limitLine), failure]);
    expect(quiet).toEqual(lines.slice(1));
  });
});

/** Runs a command, and returns the lines of both outputs in the order in which it wrote them. */
async function run(
  petstore: Fixtures['petstore'],
  argv: readonly string[],
  terminals = { stdout: false, stderr: true },
) {
  let written = '';
  const output = (isTTY: boolean): Output => ({
    ...outputTo(async (text) => {
      written += text;
    }),
    isTTY,
  });
  const context = { stdout: output(terminals.stdout), stderr: output(terminals.stderr) };
  await petstore([...argv, '--no-color'], { context });
  return written.trimEnd().split('\n');
}
