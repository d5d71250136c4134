import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

const rows = Array.from({ length: 12 }, (_, n) => `pet-${n}`);
const words = /^petstore: .*(?:too many open files|EMFILE)/m;

/** What a shell does to run a program that may have so many files open. */
const limited = (count: number, args: readonly string[]) => [
  '-c',
  `ulimit -n ${count} && exec "$@"`,
  'sh',
  process.execPath,
  launcher,
  ...args,
];

test('with too few open files a command says so, and an import loses no row and creates none twice', async ({
  execute,
  folder,
}) => {
  const service = await startService();
  const env = { PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key };
  const run = (files: number, argv: readonly string[]) =>
    execute('sh', limited(files, argv), { env });
  writeFileSync(join(folder, 'pets.csv'), `name\n${rows.join('\n')}\n`);
  // With less, Node itself does not begin.
  let fewest = 8;
  while (spawnSync('sh', limited(fewest, ['--version'])).status !== 0) fewest += 1;

  for (const argv of [['list'], ['create', 'frog']]) {
    const ended = await run(fewest, ['categories', ...argv]);
    expect(ended).toMatchObject({ stdout: '', stderr: expect.stringMatching(words) });
    // A connection that cannot be opened is 5, a file 74.
    expect([5, 74], ended.stderr).toContain(ended.code);
  }
  expect(service.requests).toEqual([]);

  const argv = ['categories', 'import', 'pets.csv', '--yes', '--settle', '100ms'];
  let failures = 0;
  let ended = await run(fewest, argv);
  while (ended.code !== 0) {
    expect(ended.stderr).toMatch(words);
    expect([5, 7, 74], ended.stderr).toContain(ended.code);
    const creates = service.requests.filter(({ method }) => method === 'POST').length;
    if (/Nothing was (?:sent|created)/.test(ended.stderr)) expect(creates).toBe(0);
    failures += 1;
    ended = await run(fewest + failures, argv);
  }
  expect(failures).toBeGreaterThan(1);
  expect(service.state.categories.map(({ name }) => name).sort()).toEqual(rows.toSorted());
});
