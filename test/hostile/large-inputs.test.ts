import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

const argv = ['categories', 'import', '-', '--dry-run', '--json'];

describe('standard input', () => {
  test.for<[format: string, head: string, row: string, foot: string]>([
    ['csv', 'name\n', 'a\n', 'a\n'],
    ['tsv', 'name\n', 'a\n', 'a\n'],
    ['json', '[\n', '{"name":"a"},\n', '{"name":"a"}]'],
    ['ndjson', '', '{"name":"a"}\n', '{"name":"a"}'],
  ])('as %s has up to 100,000 rows', async ([format, head, row, foot], { petstore, sandbox }) => {
    const read = (rows: number) =>
      petstore([...argv, '--format', format], { stdin: head + row.repeat(rows - 1) + foot });

    const most = await read(100_000);
    expect([most.exitCode, JSON.parse(most.stdout).rows]).toEqual([0, 100_000]);

    sandbox.requests.length = 0;
    expect(await read(100_001)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('more than 100,000 rows'),
    });
    expect(sandbox.requests).toHaveLength(0);
  });

  test('without an end is refused', async ({ petstore, sandbox }) => {
    const chunk = Buffer.alloc(1024 * 1024, 'x').fill('\n', 0, 1);
    const endless = (function* () {
      for (;;) yield chunk;
    })();
    const stdin = Object.assign(Readable.from(endless), { isTTY: false });

    const result = await petstore([...argv, '--format', 'ndjson'], { context: { stdin } });

    expect(result).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('MiB'),
    });
    expect(sandbox.requests).toHaveLength(0);
  });
});
