import fc from 'fast-check';
import { describe } from 'vitest';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

const any = ['api', 'GET', '/x', '-o'];
const forbidden =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/** The text that was shown so; no two texts have one. */
function unshow(shown: string): string {
  return shown.replace(/\\u\{([0-9a-f]{1,6})\}/g, (_, code) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

describe('text of others', () => {
  test('becomes one line in which nothing acts or hides, can be told from every other, and is exact in JSON', async ({
    petstore,
    sandbox,
  }) => {
    const texts = fc.array(hostileName, { minLength: 30, maxLength: 30 });
    const holds = fc.asyncProperty(texts, async (texts) => {
      sandbox.react = () => reply(200, JSON.stringify(texts));
      const [raw, json] = [await petstore([...any, 'raw']), await petstore([...any, 'ndjson'])];

      expect(raw.stdout.split('\n').slice(0, -1).map(unshow)).toEqual(texts);
      const lines = json.stdout.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(texts);
      expect(forbidden.exec((raw.stdout + json.stdout).replaceAll('\n', ''))).toBeNull();
    });
    await fc.assert(holds, trials(150));
  });

  test('a long name is cut at 200 columns on a terminal, and whole in a pipe, where no other row grows with it', async ({
    petstore,
    sandbox,
  }) => {
    const name = 'x'.repeat(100_000);
    sandbox.categories.push({ id: exact('1'), name }, { id: exact('2'), name: 'dog' });

    const shown = await petstore(['categories', 'list'], { columns: 500 });
    const piped = await petstore(['categories', 'list']);

    expect(shown.stdout).toContain(` ${'x'.repeat(199)}… `);
    expect(shown.stdout).toMatch(/^│ 2 +│ dog +│ +│$/m);
    expect(piped.stdout).toContain(`\n1${' '.repeat(21)}${name}\n`);
    expect(piped.stdout.length).toBeLessThan(name.length + 3_000);
  });
});
