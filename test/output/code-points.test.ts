import { expect, reply, test } from '../support/petstore.ts';
import { isNightly } from '../support/trials.ts';
import { type Format, formats } from '../support/values.ts';

const forbidden =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/** Every code point of Unicode, in texts that end where surrogates change from first to second halves, so that no two make a pair. */
const every = Array.from({ length: 0x11_0000 / 256 }, (_, block) =>
  String.fromCodePoint(...Array.from({ length: 256 }, (_, at) => 256 * block + at)),
);
/** Without ideographs, Hangul and planes of which nothing is assigned. */
const most = every.filter(
  (_, block) =>
    block < 0x34 ||
    (block > 0xd6 && block < 0x150) ||
    (block > 0x1ef && block < 0x200) ||
    block === 0xe00,
);
/** One of each kind that acts or hides. */
const acting =
  'a\u0000\u0007\b\u001b[31m\u007f\u0080\u0085\u009b31m\u00ad\u200b\u200c\u200d\u200e\u2028\u202e\u2066\ufeff\ufe0f\ud800\ue000\u{e0041}\u{10ffff}\u3164b';
test('no code point of Unicode acts or hides', async ({ petstore, sandbox }) => {
  const texts = isNightly ? every : most;
  sandbox.react = () => reply(200, JSON.stringify(texts));

  const { exitCode, stdout } = await petstore(['api', 'GET', '/x', '-o', 'json']);

  expect(exitCode).toBe(0);
  expect(forbidden.exec(stdout.replaceAll('\n', ''))).toBeNull();
  expect(JSON.parse(stdout)).toEqual(texts);
});

/** What may separate lines and fields of a format. */
const separators = (format: Format) => (/csv|tsv/.test(format) ? /[\n\t]/g : /\n/g);

test.for(formats)(
  'nothing acts or hides in names, values and what is nested, as %s',
  async (format, { petstore, sandbox }) => {
    const record = { [acting]: acting, more: { [acting]: [acting] } };
    const long = Array(format === 'table' ? 1_001 : 1).fill({ [acting]: acting });
    for (const columns of [undefined, 300, 20]) {
      for (const body of [record, [acting, record], long]) {
        sandbox.react = () => reply(200, JSON.stringify(body));
        const argv = ['api', 'GET', '/x', '--no-color', '-o', format];
        const { stdout } = await petstore(argv, columns === undefined ? {} : { columns });

        expect(stdout).toMatch(/\S/);
        expect(forbidden.exec(stdout.replace(separators(format), ''))).toBeNull();
      }
    }
  },
);
