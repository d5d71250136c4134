import { load, YAML11_SCHEMA } from 'js-yaml';
import { parse } from 'yaml';
import { expect, reply, test } from '../support/petstore.ts';

/** White_Space of Unicode, and what has no width but that some reader takes for a blank. */
const spaces = [
  ...'\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u2028\u2029\u202f\u205f\u3000\u180e\u200b\u2060\u3164\ufeff',
];
/** At the beginning, in the middle, at the end, alone, and beside the marks that mean something in YAML. */
const textsWith = (space: string) => [
  space,
  ...[`${space}dog`, `big${space}dog`, `dog${space}`, `犬${space}`, `${space}${space}`],
  ...[...':#,"-\\'].flatMap((mark) => [`dog${space}${mark}`, `dog${mark}${space}x`]),
];

test.for<[reader: string, read: (text: string) => unknown]>([
  ['yaml as 1.2', (text) => parse(text)],
  ['yaml as 1.1', (text) => parse(text, { version: '1.1' })],
  ['js-yaml as 1.2', (text) => load(text)],
  ['js-yaml as 1.1', (text) => load(text, { schema: YAML11_SCHEMA })],
])(
  'a space of any kind comes back from YAML by %s, in names and values, at each end of them and of all that is printed',
  async ([, read], { petstore, sandbox }) => {
    for (const space of spaces) {
      const texts = textsWith(space);
      const last = `dog${space}`;
      const records = texts.flatMap((text) => [
        { text },
        { [text]: text, last: 'x' },
        { first: 'x', [text]: { [text]: [text, { [text]: text }] } },
        { list: [['x', text]] },
      ]);
      for (const data of [records, last, { [last]: last }, { nested: [{ [last]: last }] }]) {
        sandbox.react = () => reply(200, JSON.stringify(data));

        const { stdout } = await petstore(['api', 'GET', '/x', '-o', 'yaml']);

        expect(read(stdout), `U+${space.charCodeAt(0).toString(16)}`).toEqual(data);
      }
    }
  },
);
