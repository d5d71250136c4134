import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { nodes } from '../support/nodes.ts';
import { expect, test } from '../support/program.ts';

/** What the shared log rests on: an append of one line is never mixed with another and never lost. */
const writer = `
  const { openSync, writeSync } = require('node:fs');
  const [path, name] = process.argv.slice(1);
  const file = openSync(path, 'a+');
  for (let n = 0; n < 3000; n += 1) {
    writeSync(file, Buffer.from('\\n' + JSON.stringify({ name, n, filler: 'x'.repeat(100) }) + '\\n'));
  }`;

describe.each(nodes)('on %s', (node) => {
  test('20 processes append 3,000 lines each: none torn, none lost', async ({
    folder,
    execute,
  }) => {
    const path = join(folder, 'lines');
    const names = Array.from({ length: 20 }, (_, n) => String(n));

    await Promise.all(names.map((name) => execute(node, ['-e', writer, path, name])));

    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    const seen = new Set(
      lines.map((line) => JSON.parse(line)).map(({ name, n }) => `${name} ${n}`),
    );
    expect(lines).toHaveLength(60_000);
    expect(seen.size).toBe(60_000);
  });
});
