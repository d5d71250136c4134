import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, reply, test } from '../support/petstore.ts';
import type { Output } from '../support/values.ts';

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

  test.for([
    { mode: 'low', remaining: 6, lines: 0 },
    { mode: 'low', remaining: 5, lines: 1 },
    { mode: 'never', remaining: 0, lines: 0 },
    { mode: 'always', remaining: 60, lines: 1 },
  ])(
    '$mode with $remaining of 60 left: $lines lines, and as many events',
    async ({ mode, remaining, lines }, { petstore, sandbox }) => {
      sandbox.react = () =>
        reply(200, [], {
          'x-ratelimit-limit': '60',
          'x-ratelimit-remaining': `${remaining}`,
          'x-ratelimit-reset': '1795187100',
        });
      const env = { PETSTORE_RATE_LIMIT_LINE: mode };

      const text = await petstore(list, { env });
      const json = await petstore(['categories', 'list', '--json'], {
        env: { ...env, PETSTORE_STATE_DIR: undefined },
      });

      expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
      expect(text.stderr.split('\n').filter((said) => said.startsWith('rate limit'))).toHaveLength(
        lines,
      );
      expect(json.events().filter(({ event }) => event === 'rate_limit')).toHaveLength(lines);
    },
  );

  test('errors and waits are reported where it never is', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }), reply(404, ''));

    const { exitCode, stderr } = await petstore(['api', 'GET', '/nowhere'], {
      env: { PETSTORE_RATE_LIMIT_LINE: 'never' },
    });

    expect(exitCode).toBe(3);
    expect(stderr).toContain('next request in');
    expect(stderr).toContain('404');
  });

  test('an unknown mode is refused before anything is sent, and names where it was given', async ({
    petstore,
    sandbox,
  }) => {
    const env = { PETSTORE_RATE_LIMIT_LINE: 'loud' };

    const { exitCode, stderr } = await petstore(list, { env });

    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'petstore: invalid rate-limit-line "loud" from PETSTORE_RATE_LIMIT_LINE\nNothing was sent.\nMust be one of: always, low, never\n',
    );
    expect(sandbox.requests).toHaveLength(0);
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
