/**
 * A number as it was written, digit for digit. JavaScript's own numbers round integers above 2^53
 * and forget the difference between 1 and 1.0, so no number from the service ever becomes one.
 */
export class ExactNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** A number of our own in a JSON value. */
export function exact(value: number): ExactNumber {
  return new ExactNumber(String(value));
}

/** A JSON value whose numbers are exact. */
export type Json = null | boolean | string | ExactNumber | Json[] | JsonObject;
/** A field that is undefined is not there. */
export type JsonObject = { [field: string]: Json | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}

const integer = /^(?:0|-?[1-9]\d{0,18})$/;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Whether the digits are an integer that fits an int64 (interface document, section 2). */
export function isInt64(digits: string): boolean {
  if (!integer.test(digits)) return false;
  if (digits.length < 19) return true;
  const value = BigInt(digits);
  return value >= int64Min && value <= int64Max;
}
