import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { Output } from '../../../src/context.ts';
import { expect, type Fixtures, test } from '../../support/petstore.ts';

const list = ['categories', 'list', '-o', 'csv'];
const line = 'rate limit: 59 of 60 left';

/** Runs a command, and tells line by line what it wrote, on whichever of its two outputs. */
async function order(
  petstore: Fixtures['petstore'],
  argv: readonly string[],
  terminals: { readonly stdout: boolean; readonly stderr: boolean },
) {
  let written = '';
  const output = (isTTY: boolean): Output => ({
    write: async (text) => {
      written += text;
    },
    isTTY,
    columns: undefined,
    stream: undefined,
  });
  const context = { stdout: output(terminals.stdout), stderr: output(terminals.stderr) };
  const { exitCode } = await petstore([...argv, '--no-color'], { context });
  return { exitCode, lines: written.trimEnd().split('\n') };
}

describe('the line on the limit', () => {
  test('comes before a result that a pager may read, so that it is not in the midst of its screen', async ({
    petstore,
  }) => {
    const { lines } = await order(petstore, list, { stdout: false, stderr: true });

    expect(lines).toEqual([expect.stringContaining(line), 'id,name,description']);
  });

  test.for([
    { stdout: true, stderr: true },
    { stdout: false, stderr: false },
    { stdout: true, stderr: false },
  ])('comes after the result elsewhere: terminals %o', async (terminals, { petstore }) => {
    const { lines } = await order(petstore, list, terminals);

    expect(lines).toEqual(['id,name,description', expect.stringContaining(line)]);
  });

  test('comes after a deprecation, before the result of it', async ({ petstore }) => {
    const argv = ['pets', 'get', '1', '-o', 'csv', '--columns', 'name'];
    const { lines } = await order(petstore, argv, { stdout: false, stderr: true });

    expect(lines).toEqual([
      expect.stringMatching(/^deprecated: /),
      expect.stringContaining(line),
      'name',
      'Bello',
    ]);
  });

  test('comes where there is no result as well', async ({ petstore }) => {
    const argv = ['api', 'GET', '/nowhere'];
    const { exitCode, lines } = await order(petstore, argv, { stdout: false, stderr: true });

    expect(exitCode).toBe(3);
    expect(lines[0]).toContain(line);
  });

  test('of an import is said once, and its result is last', async ({ petstore, folder }) => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'name\nfish\n');
    const argv = ['categories', 'import', file, '--yes', '-o', 'csv'];
    const { lines } = await order(petstore, argv, { stdout: false, stderr: true });

    expect(lines.filter((line) => line.startsWith('rate limit'))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/fish,created/);
  });
});
