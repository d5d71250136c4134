import fc from 'fast-check';
import { describe } from 'vitest';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';
import { screenOf } from '../support/screen.ts';
import { category, formats } from '../support/values.ts';

const forbidden =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

describe('no code point acts or hides', () => {
  test('of all Unicode, and each is exact in JSON', async ({ petstore, sandbox }) => {
    // The texts end where surrogates change from first to second halves, so that no two make a pair. There are none of
    // ideographs, Hangul and planes of which nothing is assigned.
    const blocks = Array.from({ length: 0x11_0000 / 256 }, (_, block) => block).filter(
      (block) =>
        block < 0x34 ||
        (block > 0xd6 && block < 0x150) ||
        (block > 0x1ef && block < 0x200) ||
        block === 0xe00,
    );
    const texts = blocks.map((block) =>
      String.fromCodePoint(...Array.from({ length: 256 }, (_, at) => 256 * block + at)),
    );
    sandbox.react = () => reply(200, JSON.stringify(texts));

    const { stdout } = await petstore('api GET /x -o json');

    expect(forbidden.exec(stdout.replaceAll('\n', ''))).toBeNull();
    expect(JSON.parse(stdout)).toEqual(texts);
  });

  /** One of each kind that acts or hides. */
  const acting =
    'a\u0000\u0007\b\u001b[31m\u007f\u0080\u0085\u009b31m\u00ad\u200b\u200c\u200d\u200e\u2028\u202e\u2066\ufeff\ufe0f\ud800\ue000\u{e0041}\u{10ffff}\u3164b';
  test.for(formats)(
    'in names, values and what is nested, as %s',
    async (format, { petstore, sandbox }) => {
      const record = { [acting]: acting, more: { [acting]: [acting] } };
      const separators = /csv|tsv/.test(format) ? /[\n\t]/g : /\n/g;
      for (const body of [record, [acting, record], Array(1_001).fill(record)]) {
        sandbox.react = () => reply(200, JSON.stringify(body));
        const { stdout } = await petstore(`api GET /x --no-color -o ${format}`, { columns: 20 });

        expect(stdout).toMatch(/\S/);
        expect(forbidden.exec(stdout.replace(separators, ''))).toBeNull();
      }
    },
  );
});

/** All in one pattern, which tries each emoji at each character: what escaping means, were time no matter. */
const plain = new RegExp(
  [
    String.raw`\p{RGI_Emoji}(?:(?<!\ufe0f)\ufe0f)?`,
    String.raw`(?<=[[\u0600-\u0dff\u1780-\u17b3\u17b6-\u180a\u1810-\u18af]&&[\p{L}\p{M}]])(?<!\p{M}{11})[\u200c\u200d\u180b-\u180f]`,
    String.raw`([\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}])`,
    String.raw`((?<=\p{M}{10})\p{M})`,
  ].join('|'),
  'gv',
);
const pieces =
  'a 1 # * 5 \n \t \u001b \u0085 é 猫 ب م क \u094d \u200c \u200d \u180b ᠰ \ufe0f \ufe0e \u20e3 ❤ ☎ © 👩 👧 🏽 🏳 🌈 🇩 🇪 🏴 \u{e0067} \u{e007f} \u0301 \u064e \u3164 \u202e \ud83d \udc69 x\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301'.split(
    ' ',
  );
const marks = [0x0, 0x1, 0x2, 0x3, 0xf, 0x1f].flatMap((block) =>
  Array.from({ length: 0x1000 }, (_, n) => String.fromCodePoint(0x1000 * block + n)),
);

test('escapes are those of a plain pattern', async ({ petstore, sandbox }) => {
  const check = async (texts: readonly string[]) => {
    sandbox.react = () => reply(200, JSON.stringify(texts));
    const { stdout } = await petstore('api GET /x -o raw');

    const escaped = texts.map((text) =>
      text.replace(plain, (found: string, hidden, mark) =>
        hidden || mark ? `\\u{${found.codePointAt(0)?.toString(16)}}` : found,
      ),
    );
    expect(stdout.split('\n').slice(0, -1)).toEqual(escaped);
  };
  await check(marks.map((mark) => `${mark} ${mark}\ufe0f ${mark}\u20e3`));
  const text = fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((parts) => parts.join(''));
  await fc.assert(fc.asyncProperty(fc.array(text, { minLength: 100 }), check), trials(50));
});

/** As keyboards type them; escapes where an editor would show nothing. */
const texts = {
  'a coffee in colour': '☕\ufe0f break',
  'a flag': '🏳\ufe0f\u200d🌈',
  'a heart, Latin, Hebrew and Han': '❤\ufe0f Ünï café שלום 犬',
  Persian: 'می\u200cخواهم خانه\u200cها',
  'Persian with vowels': 'بِ\u200cپَر',
  Hindi: 'क्\u200dष क्\u200cष',
  Sinhala: 'ශ්\u200dරී',
  Bengali: 'র\u200d\u09cdযাব',
  Telugu: 'సాఫ్ట్\u200cవేర్',
  Mongolian: 'ᠰᠠᠢ\u180bᠨ ᠬᠠᠷ\u180eᠠ',
};

test.for(formats)(
  'selectors and joiners that are text stay, as %s',
  async (format, { petstore, sandbox }) => {
    const names = Object.values(texts);
    sandbox.categories.push(...names.map((name, at) => category(String(at), name, name)));

    const { stdout } = await petstore(`categories list -o ${format}`);

    for (const name of names) expect(stdout).toContain(name);
    expect(stdout).not.toMatch(/\\u/);
  },
);

test('on a terminal each row of a list can be told, whatever stands in it', async ({
  petstore,
  sandbox,
}) => {
  const names = fc.array(hostileName, { minLength: 1, maxLength: 8 });
  const holds = fc.asyncProperty(names, fc.constantFrom(40, 80, 200), async (names, columns) => {
    const categories = names.map((name, n) => ({ id: n + 1, name, description: name }));
    sandbox.react = () => reply(200, JSON.stringify(categories));
    const { stdout } = await petstore('categories list --no-color --no-header', { columns });

    const rows = await screenOf(stdout, columns);

    // A long name makes plain columns, in which the terminal breaks the lines.
    const ids = stdout.startsWith('┌') ? idsIn(rows) : stdout.match(/^\d+(?= |$)/gm);
    expect(ids).toEqual(categories.map(({ id }) => String(id)));
  });
  await fc.assert(holds, trials(150));
});

test('a border in a text forges no row of a table', async ({ petstore, sandbox }) => {
  sandbox.categories.push(category('1', 'dog │ 2'));

  expect((await petstore('categories list')).stdout).toContain('│ dog \\u{2502} 2 │');
});

/** What stands in the first column of the lines of a frame; it is blank where a row goes on. */
function idsIn(rows: readonly string[]): string[] {
  return rows
    .filter((row) => row.startsWith('│'))
    .map((row) => row.split('│')[1]?.trim() ?? '')
    .filter(Boolean);
}
