import { load, YAML11_SCHEMA } from 'js-yaml';
import { describe } from 'vitest';
import { parse } from 'yaml';
import { expect, reply, test } from '../support/petstore.ts';

/** More than a key may have that stands by itself. */
const long = 'name '.repeat(300);
const odd =
  'a: b|- a|#a|yes|null|~|1|1.5|0x1f|a\nb|\'|"|? a|{|[a]|!a|&a|*a|%a|@a|`a|<<|=|犬|| '.split('|');

const values: Readonly<Record<string, unknown>> = {
  'nothing in something': { items: [], more: {}, list: [[], {}, [[]], [{}]] },
  'nothing at all': {},
  'a long name': { [long]: 1, b: { [long]: [1] }, c: [{ [long]: { a: 1 } }] },
  'long names in a list': [{ [long]: 1, b: 'c' }, { [`${long}d`]: 'e' }],
  'names that are something else': Object.fromEntries(odd.map((name) => [name, name])),
  'texts that are something else': [odd, odd.map((text) => ({ text, more: { text } }))],
  'a long text': { text: `${'word '.repeat(500)}\n${'word '.repeat(500)}` },
  'lists in lists': [[[1, 'a'], [2]], [[], [{ a: [{ b: [] }] }]], 'a', null, true],
  'a text': 'a: b',
  null: null,
};

describe('YAML is read back as it was', () => {
  test.for(Object.entries(values))('%s', async ([, value], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, JSON.stringify(value));

    const { exitCode, stdout } = await petstore(['api', 'GET', '/x', '-o', 'yaml']);

    expect(exitCode).toBe(0);
    expect(parse(stdout, { version: '1.2' })).toEqual(value);
    expect(parse(stdout, { version: '1.1', merge: false })).toEqual(value);
    expect(load(stdout)).toEqual(value);
    expect(load(stdout, { schema: YAML11_SCHEMA })).toEqual(value);
  });
});
