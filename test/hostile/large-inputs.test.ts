import { describe, expect, test } from 'vitest';
import type { InputFormat } from '../../src/import/read/input.ts';
import { readChunks } from '../support/read-input.ts';

describe('a wrong input is refused with its place', () => {
  test.for<{ format: InputFormat; head: string; row: string; foot: string; wrong: string }>([
    { format: 'csv', head: 'name\n', row: 'a\n', foot: 'a\n', wrong: '100002:1' },
    {
      format: 'json',
      head: '[\n',
      row: '{"name":"a"},\n',
      foot: '{"name":"a"}]',
      wrong: '100002:1',
    },
    { format: 'ndjson', head: '', row: '{"name":"a"}\n', foot: '{"name":"a"}', wrong: '100001:1' },
  ])('more than 100000 rows of $format are too many', async (given) => {
    const { format, head, row, foot, wrong } = given;
    const many = (count: number) => readChunks(format, [head + row.repeat(count - 1) + foot]);

    expect((await many(100_000)).rows).toHaveLength(100_000);
    expect((await many(100_001)).failure?.message).toBe(
      `standard input:${wrong}: more than 100,000 rows; the rest was not read`,
    );
  });

  test('more than 256 MiB are too many', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x').fill('\n', 0, 1);

    expect((await readChunks('ndjson', Array(257).fill(chunk))).failure?.message).toBe(
      'standard input is larger than 256 MiB',
    );
  });
});
