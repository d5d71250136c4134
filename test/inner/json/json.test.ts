import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createArrayParser } from '../../../src/json/array.ts';
import { createElementSplitter, type Element } from '../../../src/json/elements.ts';
import { ExactNumber, isInt64, type Json } from '../../../src/json/exact.ts';
import { JsonError, parseJson } from '../../../src/json/parse.ts';
import { textOf } from '../../../src/json/verbatim.ts';
import { writeJson } from '../../../src/json/write.ts';
import { trials } from '../../support/trials.ts';

const digits = fc.oneof(
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('1.0', '-0', '1e3', '1E+5', '0.10', '-0.0e-0'),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.string({ unit: 'binary' }),
    digits.map((text) => new ExactNumber(text)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('json'), { maxKeys: 4 }),
  ),
}));

/** What another parser makes of it, to compare the structure with; it rounds numbers, so they are left out. */
const withoutNumbers = (value: unknown) =>
  JSON.stringify(value, (_, item) =>
    typeof item === 'number' || item instanceof ExactNumber ? 0 : item,
  );

describe('JSON', () => {
  test('comes out as it went in, whatever the layout', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
        const text = writeJson(value, { indent });
        expect(writeJson(parseJson(text))).toBe(writeJson(value));
        expect(withoutNumbers(parseJson(text))).toBe(withoutNumbers(JSON.parse(text)));
      }),
      trials(2_000),
    );
  });

  test('is refused wherever JSON.parse refuses it, and at every cut', () => {
    fc.assert(
      fc.property(json, fc.nat(), fc.string({ maxLength: 2 }), (value, at, noise) => {
        const text = writeJson([value]);
        const cut = at % text.length;
        const damaged =
          text.slice(0, cut) + noise + text.slice(cut + noise.length + (noise ? 0 : 1));
        let valid = true;
        try {
          JSON.parse(damaged);
        } catch {
          valid = false;
        }
        if (!valid) expect(() => parseJson(damaged)).toThrow(JsonError);
        expect(() => parseJson(text.slice(0, cut))).toThrow(JsonError);
      }),
      trials(2_000),
    );
  });

  test.for([
    { text: '{"a":1,"a":1}', reason: 'duplicate field "a"', offset: 7 },
    { text: '{"__proto__":1,"__proto__":2}', reason: 'duplicate field "__proto__"', offset: 15 },
    { text: '01', reason: 'unexpected text after the JSON value', offset: 1 },
    { text: '[1,]', reason: 'expected a value', offset: 3 },
    { text: '"\u0000"', reason: 'unescaped control character in a string', offset: 0 },
    { text: '"\\x"', reason: 'invalid escape sequence in a string', offset: 0 },
    { text: '"a\\', reason: 'unterminated string', offset: 0 },
    { text: ' ', reason: 'unexpected end of input', offset: 1 },
    { text: 'nul', reason: 'expected a value', offset: 0 },
    { text: '['.repeat(40), reason: 'nested more than 32 levels deep', offset: 33 },
  ])('$text is refused: $reason', ({ text, reason, offset }) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ reason, offset }));
  });

  test('many strings, escaped or not, take linear time', () => {
    const text = `[${'"a",'.repeat(200_000)}"\\n"]`;

    expect(parseJson(text)).toHaveLength(200_001);
  });
});

describe('the elements of an array', () => {
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 10 });

  function partsOf(text: string, at: readonly number[]): string[] {
    const edges = [0, ...[...at].sort((a, b) => a - b), text.length];
    return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
  }

  function split(text: string, at: readonly number[]) {
    const elements: Element[] = [];
    const splitter = createElementSplitter((element) => elements.push(element));
    for (const part of partsOf(text, at)) splitter.split(part);
    splitter.end();
    return elements;
  }

  test('are those of the whole text, each at its place, whatever the parts', () => {
    fc.assert(
      fc.property(
        fc.array(json, { maxLength: 5 }),
        fc.constantFrom(0, 2),
        cuts,
        (array, indent, at) => {
          const text = writeJson(array, { indent });
          const elements = split(text, at);
          expect(writeJson(elements.map((element) => parseJson(element.text)))).toBe(
            writeJson(array),
          );
          for (const { text: element, offset } of elements) {
            expect(text.startsWith(element, offset)).toBe(true);
            expect(element).toBe(element.trim());
          }
        },
      ),
      trials(2_000),
    );
  });

  test('are refused just where parseJson refuses the whole text', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'[]{},:"1 \\n'), maxLength: 2 });
    fc.assert(
      fc.property(fc.array(json), fc.nat(), noise, cuts, (array, where, noise, at) => {
        const text = writeJson(array, { indent: 1 });
        const cut = where % (text.length + 1);
        const damaged = text.slice(0, cut) + noise + text.slice(cut + (noise ? 0 : 1));
        const whole = outcome(() => parseJson(damaged));
        const splitted = outcome(() => split(damaged, at).map((one) => parseJson(one.text)));
        expect(splitted === undefined).toBe(whole === undefined || !Array.isArray(whole));
        if (splitted) expect(splitted).toEqual(whole);
      }),
      trials(5_000),
    );
  });

  /** The elements, parsed while the text comes in parts, in batches of at least so many characters. */
  function parsed(text: string, at: readonly number[], batch: number): Json[] {
    const parser = createArrayParser(batch);
    return [...partsOf(text, at).flatMap((part) => parser.parse(part)), ...parser.end()];
  }

  test('are parsed as they come just as all at once, whatever the parts and batches', () => {
    fc.assert(
      fc.property(
        fc.array(json, { maxLength: 5 }),
        fc.constantFrom(0, 2),
        cuts,
        fc.nat({ max: 100 }),
        (array, indent, at, batch) => {
          const text = writeJson(array, { indent });
          expect(writeJson(parsed(text, at, batch))).toBe(writeJson(array));
        },
      ),
      trials(2_000),
    );
  });

  test('keep their text only where to write them gives that very text', () => {
    const name = fc.oneof(fc.constantFrom('a', '1', '-1', '0x', '__proto__', 'kind'), fc.string());
    const field = fc.tuple(name, json);
    const object = fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 4 });
    const between = fc.constantFrom('', '', '', ' ', '\n');
    const letter = fc.constantFrom('k', '\\u006b');
    let kept = 0;
    const drawn = trials(3_000);
    fc.assert(
      fc.property(fc.array(object, { maxLength: 3 }), between, letter, (objects, space, k) => {
        const texts = objects.map((fields) => {
          const parts = fields.map(([name, it]) => `${JSON.stringify(name)}:${writeJson(it)}`);
          return `{${parts.join(`,${space}`).replaceAll('k', k)}}`;
        });
        const parser = createArrayParser();
        parser.parse(`[${texts.join(`${space},`)}]`);
        const elements = parser.end();
        const text = textOf(elements);
        if (text !== undefined) expect(text).toBe(elements.map((it) => writeJson(it)).join('\n'));
        if (text) kept += 1;
      }),
      drawn,
    );
    expect(kept).toBeGreaterThan(drawn.numRuns / 6);
  });

  test('are refused as they come just where parseJson refuses the whole text', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'[]{},:"1 \\n'), maxLength: 2 });
    fc.assert(
      fc.property(
        fc.array(json),
        fc.nat(),
        noise,
        cuts,
        fc.nat({ max: 100 }),
        (array, where, noise, at, batch) => {
          const text = writeJson(array, { indent: 1 });
          const cut = where % (text.length + 1);
          const damaged = text.slice(0, cut) + noise + text.slice(cut + (noise ? 0 : 1));
          const whole = outcome(() => parseJson(damaged));
          const asItComes = outcome(() => parsed(damaged, at, batch));
          expect(asItComes).toEqual(Array.isArray(whole) ? whole : undefined);
        },
      ),
      trials(5_000),
    );
  });

  const long = 'x'.repeat(1024 * 1024);
  test.for([
    { what: 'a second [', text: '[1,2][', reason: 'unexpected text after the array', offset: 5 },
    { what: 'no array', text: '{"a":1}', reason: 'expected "["', offset: 0 },
    { what: 'no comma', text: '[1 2]', reason: 'expected "," or "]"', offset: 3 },
    { what: 'a comma too much', text: '[1,]', reason: 'expected a value', offset: 3 },
    { what: 'an early end', text: '[1,2', reason: 'unexpected end of input', offset: 4 },
    { what: 'a cut string', text: '[1,"a', reason: 'unterminated string', offset: 3 },
    {
      what: 'depth',
      text: `[1,${'['.repeat(40)}`,
      reason: 'nested more than 32 levels deep',
      offset: 35,
    },
    {
      what: 'a long one',
      text: `[1,"${long}"]`,
      reason: 'an element is longer than 1 MiB',
      offset: 3,
    },
    {
      what: 'one without end',
      text: `[1,"${long}`,
      reason: 'an element is longer than 1 MiB',
      offset: 3,
    },
  ])('with $what are refused as they come: $reason', ({ text, reason, offset }) => {
    const parse = () => parsed(text, [1, 2, 3], 1);
    expect(parse).toThrow(expect.objectContaining({ reason, offset }));
  });

  function outcome(parse: () => Json): Json | undefined {
    try {
      return parse();
    } catch (error) {
      expect(error).toBeInstanceOf(JsonError);
      return undefined;
    }
  }
});

describe('int64', () => {
  test('is told by its value, not by its length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (value) => {
        expect(isInt64(String(value))).toBe(BigInt.asIntN(64, value) === value);
      }),
    );
  });

  test.for(['1.0', '1e3', '-0', '', '-', '+1', '00', ' 1', '0x1'])('"%s" is none', (text) => {
    expect(isInt64(text)).toBe(false);
  });
});
