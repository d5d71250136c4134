import { ExactNumber } from '../json/exact.ts';

/** A number by its digits, without zeros at either end: 0.DIGITS times ten to the power of its magnitude. */
export type Decimal = {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number | bigint;
};

const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const zero: Decimal = { sign: 0, digits: '', magnitude: 0 };

export function decimalOf({ text }: ExactNumber): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] = form.exec(text) ?? [];
  const all = whole + fraction;
  const start = all.search(/[1-9]/);
  if (start < 0) return zero;
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const shift = whole.length - start;
  const power = Number(exponent);
  return {
    sign: minus ? -1 : 1,
    digits: all.slice(start, end),
    magnitude: Math.abs(power) < 1e15 ? power + shift : BigInt(exponent) + BigInt(shift),
  };
}

/** Less than, equal to or more than 0, as for `sort`: exact for numbers of any length. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  if (a.magnitude !== b.magnitude) return a.magnitude < b.magnitude ? -a.sign : a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

export function compareNumbers(a: ExactNumber, b: ExactNumber): number {
  return a.text === b.text ? 0 : compareDecimals(decimalOf(a), decimalOf(b));
}

export function absolute({ text }: ExactNumber): ExactNumber {
  return new ExactNumber(text.replace(/^-/, ''));
}

/** The nearest integer that is not above (`floor`) or not below (`ceil`) it. */
export function rounded(number: ExactNumber, way: 'floor' | 'ceil'): ExactNumber {
  const { sign, digits, magnitude } = decimalOf(number);
  if (magnitude >= digits.length) return number;
  const whole = magnitude > 0 ? BigInt(digits.slice(0, Number(magnitude))) : 0n;
  const away = (way === 'ceil') === sign > 0 ? 1n : 0n;
  return new ExactNumber(String(BigInt(sign) * (whole + away)));
}

/** An integer times ten to the power of `-scale`. */
type Scaled = { readonly value: bigint; readonly scale: number };

/** More digits are not added up. */
const mostDigits = 10_000;

/** The sum; undefined where a number is too large or too small to be added exactly. */
export function sumOf(numbers: readonly ExactNumber[]): ExactNumber | undefined {
  const sum = add(numbers);
  return sum && textOf(sum);
}

/** Digits of a quotient that does not end. */
const precision = 34;

/** The average, rounded to 34 digits where it has no end; undefined as with `sumOf`. */
export function averageOf(numbers: readonly ExactNumber[]): ExactNumber | undefined {
  const sum = add(numbers);
  if (!sum) return undefined;
  const count = BigInt(numbers.length);
  // A power of ten more than the divisor has digits in base two, and the quotient has ended if it ever does.
  const places = Math.max(precision, numbers.length.toString(2).length) + precision;
  const dividend = sum.value * 10n ** BigInt(places);
  const exact = { value: dividend / count, scale: sum.scale + places };
  if (dividend % count === 0n) return textOf(exact);
  const drop = Math.max(0, String(exact.value).replace('-', '').length - precision);
  const unit = 10n ** BigInt(drop);
  const half = exact.value < 0n ? -unit / 2n : unit / 2n;
  return textOf({ value: ((exact.value + half) / unit) * unit, scale: exact.scale });
}

function add(numbers: readonly ExactNumber[]): Scaled | undefined {
  const all: Scaled[] = [];
  for (const number of numbers) {
    const { sign, digits, magnitude } = decimalOf(number);
    if (digits.length > mostDigits || magnitude > mostDigits || magnitude < -mostDigits)
      return undefined;
    all.push({ value: BigInt(sign) * BigInt(digits), scale: digits.length - Number(magnitude) });
  }
  const scale = all.reduce((most, { scale }) => Math.max(most, scale), 0);
  const value = all.reduce((sum, one) => sum + one.value * 10n ** BigInt(scale - one.scale), 0n);
  return { value, scale };
}

function textOf({ value, scale }: Scaled): ExactNumber {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end -= 1;
  const fraction = digits.slice(point, end);
  const text = digits.slice(0, point) + (fraction && `.${fraction}`);
  return new ExactNumber(value < 0n ? `-${text}` : text);
}
