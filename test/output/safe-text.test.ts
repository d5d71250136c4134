import fc from 'fast-check';
import { describe } from 'vitest';
import { brokenByName, hostileName } from '../support/names.ts';
import { expect, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

describe('text of others', () => {
  test('becomes one line in which nothing acts or hides, can be told from every other, and is exact in JSON', () => {
    fc.assert(
      fc.property(hostileName, (name) => {
        expect(brokenByName(name)).toEqual([]);
      }),
      trials(5_000),
    );
  });

  test('stays readable where nothing acts or hides', async ({ petstore, sandbox }) => {
    const names = ['Ünï', '犬', 'café', '👩‍👩‍👧', '❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'שלום'];
    sandbox.categories.push(...names.map((name, id) => ({ id: exact(String(id)), name })));

    const { stdout } = await petstore(['categories', 'list', '--query', '[].name', '-o', 'raw']);

    expect(stdout).toBe(`${names.join('\n')}\n`);
  });

  test('cannot forge a row of a table', async ({ petstore, sandbox }) => {
    const name = 'dog\n│ 2  │ cat │\r\u001b[1A\u2028';
    sandbox.categories.push({ id: exact('1'), name });

    const { stdout } = await petstore(['categories', 'list']);

    expect(stdout.trimEnd().split('\n')).toHaveLength(5);
    expect(stdout).toContain('dog\\u{a}│ 2  │ cat │\\u{d}\\u{1b}[1A\\u{2028}');
  });

  test('a long name is cut on a terminal, and whole in a pipe, where no other row grows with it', async ({
    petstore,
    sandbox,
  }) => {
    const name = 'x'.repeat(100_000);
    sandbox.categories.push({ id: exact('1'), name }, { id: exact('2'), name: 'dog' });

    const shown = await petstore(['categories', 'list'], { columns: 500 });
    const piped = await petstore(['categories', 'list']);

    expect(shown.stdout.length).toBeLessThan(3_000);
    expect(piped.stdout).toContain(`\n1   ${name}\n`);
    expect(piped.stdout.length).toBeLessThan(name.length + 3_000);
  });
});
