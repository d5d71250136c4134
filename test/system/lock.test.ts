import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { nodes } from '../support/nodes.ts';
import { expect, test } from '../support/program.ts';

describe.each(nodes)('on %s', (node) => {
  test('4 processes change one file 100 times each: nothing lost, and nothing left beside it', async ({
    folder,
    execute,
  }) => {
    const path = join(folder, 'state', 'number');
    const program = await bundle('test/support/programs/counter.ts', folder);

    const ended = await Promise.all(
      Array.from({ length: 4 }, () => execute(node, [program, path, '100'])),
    );

    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, '']));
    expect(readFileSync(path, 'utf8')).toBe('400');
    expect(readdirSync(join(folder, 'state'))).toEqual(['number']);
  });
});
