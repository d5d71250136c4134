import { spawnSync } from 'node:child_process';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

/** What a shell does to run a program that may have so many files open. */
const limited = (count: number, args: readonly string[]) => [
  '-c',
  `ulimit -n ${count} && exec "$@"`,
  'sh',
  process.execPath,
  launcher,
  ...args,
];

test('with too few open files a command says so, and sends nothing', async ({ execute }) => {
  const { env, requests } = await startService();
  // With less, Node itself does not begin.
  let fewest = 8;
  while (spawnSync('sh', limited(fewest, ['--version'])).status !== 0) fewest += 1;

  for (const argv of ['list', 'create frog']) {
    const words = ['categories', ...argv.split(' ')];
    const { code, stdout, stderr } = await execute('sh', limited(fewest, words), { env });

    expect({ stdout, stderr }).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^petstore: .*(?:too many open files|EMFILE)/m),
    });
    // A connection that cannot be opened is 5, a file 74.
    expect([5, 74], stderr).toContain(code);
  }
  expect(requests).toEqual([]);
});
