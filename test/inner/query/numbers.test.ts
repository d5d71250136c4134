import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../../../src/json/exact.ts';
import { averageOf, compareNumbers, rounded, sumOf } from '../../../src/query/numbers.ts';
import { trials } from '../../support/trials.ts';

const of = (text: string) => new ExactNumber(text);

/** An integer times ten to the power of `-places`, in one of the ways to write it. */
const decimal = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    fc.nat(8),
    fc.integer({ min: -9, max: 9 }),
  )
  .map(([value, places, shift]) => {
    const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
    const point = digits.length - places;
    const fraction = digits.slice(point) && `.${digits.slice(point)}`;
    const exponent = shift === 0 ? '' : `e${shift > 0 ? '+' : ''}${shift}`;
    return {
      text: `${value < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}${exponent}`,
      // All of them in units of 10^-20.
      units: value * 10n ** BigInt(20 - places + shift),
    };
  });

function unitsOf({ text }: ExactNumber): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(20, '0')}`);
}

describe('Numbers of an expression', () => {
  test('are compared exactly, however they are written', () => {
    const holds = fc.property(decimal, decimal, (a, b) => {
      const order = a.units < b.units ? -1 : a.units > b.units ? 1 : 0;
      expect(Math.sign(compareNumbers(of(a.text), of(b.text)))).toBe(order);
      expect(
        compareNumbers(of(a.text), of(a.text.replace(/e|$/, 'e0$&').replace(/e0e/, 'e'))),
      ).toBe(0);
    });
    fc.assert(holds, trials(2_000));
  });

  test.for([
    ['1e9007199254740993', '1e9007199254740992', 1],
    ['-1e9007199254740993', '-1e9007199254740992', -1],
    ['1e-99999999999999999999', '0', 1],
    ['1e99999999999999999999', '1e5', 1],
    ['-0', '0', 0],
    ['0e5', '0.000', 0],
  ] as const)('%s and %s are compared by any exponent', ([a, b, order]) => {
    expect(compareNumbers(of(a), of(b))).toBe(order);
  });

  test('are added, averaged and rounded exactly', () => {
    const holds = fc.property(fc.array(decimal, { minLength: 1, maxLength: 10 }), (all) => {
      const numbers = all.map(({ text }) => of(text));
      const sum = all.reduce((total, { units }) => total + units, 0n);
      expect(unitsOf(sumOf(numbers) ?? of('x'))).toBe(sum);
      const [first = { text: '0', units: 0n }] = all;
      const one = 10n ** 20n;
      const below = first.units / one - (first.units % one < 0n ? 1n : 0n);
      const floor = sumOf([rounded(of(first.text), 'floor')]);
      const ceil = sumOf([rounded(of(first.text), 'ceil')]);
      expect(floor?.text).toBe(String(below));
      expect(ceil?.text).toBe(String(first.units % one === 0n ? below : below + 1n));
      // A sum of ten is the average of ten times as much.
      const tenfold = Array.from({ length: 8 }, () => numbers).flat();
      expect(averageOf(tenfold)?.text).toBe(averageOf(numbers)?.text);
    });
    fc.assert(holds, trials(500));
  });

  test.for([
    [['1', '2', '2'], '1.666666666666666666666666666666667'],
    [['-1', '-2', '-2'], '-1.666666666666666666666666666666667'],
    [['1', '0', '0'], '0.3333333333333333333333333333333333'],
    [['1e-30', '0', '0'], '0.0000000000000000000000000000003333333333333333333333333333333333'],
    [['10', '0', '0', '0', '0', '0', '0', '0'], '1.25'],
  ] as const)('of %j the average is %s', ([numbers, average]) => {
    expect(averageOf(numbers.map(of))?.text).toBe(average);
  });
});
