import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { screenOf } from '../support/screen.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

const columns = 80;
const list = ['categories', 'list', '--no-color', '--max-wait', 'inf'];

/** What a terminal is told to do and a reader is not to see, each with a sign by which one would see it. */
const acting = {
  'a title': '\u001b]0;gotcha\u0007',
  'the clipboard': '\u001b]52;c;Z290Y2hh\u0007',
  'a link': '\u001b]8;;https://pets.example\u001b\\here\u001b]8;;\u001b\\',
  'the cursor': '\u001b[1A\u001b[2K\u001b[5;5H\b\r',
  'the alternate screen': '\u001b[?1049h',
  colours: '\u001b[31;1mred',
  'a reset': '\u001bc',
  'a question': '\u001b[6n\u001b[c\u0005',
  'controls of C1': '\u009b31m\u009d0;x\u009c\u008d\u0085',
  'a bell': '\u0007',
};

describe('on the screen of a terminal', () => {
  test('the tests see what acts', async () => {
    for (const [what, text] of Object.entries(acting)) {
      const { sideEffects } = await screenOf(`${text}\n`, 80);
      expect(sideEffects.length, what).toBeGreaterThan(0);
    }
  });

  test.for([40, 80, 200])(
    'nothing acts in a list, and each row of it can be told, %i columns wide',
    async (columns, { petstore, sandbox }) => {
      const holds = fc.asyncProperty(
        fc.array(hostileName, { minLength: 1, maxLength: 8 }),
        async (names) => {
          const categories = names.map((name, n) => ({ id: n + 1, name, description: name }));
          sandbox.react = () => reply(200, JSON.stringify(categories));
          const { stdout } = await petstore([...list, '--no-header'], { columns });

          const { sideEffects, rows } = await screenOf(stdout, columns);

          expect(sideEffects).toEqual([]);
          // A long name makes plain columns, in which the terminal breaks the lines.
          const isFramed = stdout.startsWith('┌');
          const ids = isFramed ? idsIn(rows) : stdout.match(/^\d+(?= |$)/gm);
          expect(ids).toEqual(categories.map(({ id }) => String(id)));
        },
      );
      await fc.assert(holds, trials(80));
    },
  );

  const names = Object.entries({
    ...acting,
    'a row': 'dog\n│ 9  │ cat │\r\n2 x',
    'text that runs backwards': '\u202egod\u202c\u2066x',
    'what has no width': 'd\u200bo\ufeff\u00adg',
    'a heap of marks': `a${'\u0301'.repeat(5_000)}`,
    'marks that take room': `क${'ा'.repeat(100)}│ 9  │ cat │`,
    'joined emoji': '👩‍👩‍👧'.repeat(20),
  });

  test.for(names)(
    '%s in a name does nothing in JSON, an error or a plan',
    async ([, name], { petstore, sandbox, folder }) => {
      sandbox.categories.push({ id: exact('1'), name, description: 'old' });
      const file = join(folder, 'rows.json');
      writeFileSync(file, JSON.stringify([{ name, description: 'new' }, { name: `${name} ` }]));

      const json = await petstore(['categories', 'list', '--json'], { columns });
      expect(JSON.parse(json.stdout)[0].name).toBe(name);

      const dryRun = ['categories', 'import', file, '--dry-run', '--no-color'];
      const plan = await petstore(dryRun, { columns });
      expect([0, 2]).toContain(plan.exitCode);
      expect(plan.stderr).toMatch(/(?:line |rows\.json:)1[:\d]* /);

      sandbox.reactions.push(reply(422, { code: name, message: name, status: 422 }));
      const error = await petstore(['categories', 'create', name, '--no-color'], { columns });
      expect(error.stderr.trimEnd().split('\n').length).toBeLessThan(4);

      for (const text of [json.stdout, plan.stderr + plan.stdout, error.stderr]) {
        expect((await screenOf(text, columns)).sideEffects).toEqual([]);
      }
    },
  );
});

/** What stands in the first column of the lines of a frame; it is blank where a row goes on. */
function idsIn(rows: readonly string[]): string[] {
  return rows
    .filter((row) => row.startsWith('│'))
    .map((row) => row.split('│')[1]?.trim() ?? '')
    .filter(Boolean);
}
