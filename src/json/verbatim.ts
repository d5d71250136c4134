import type { Json } from './exact.ts';

const texts = new WeakMap<readonly Json[], string>();

/** Remembers the JSON text of values, one a line, where to write them would give the very same. */
export function keepText(values: readonly Json[], text: string): void {
  texts.set(values, text);
}

/** Tells that values are no longer what their text says. */
export function forgetText(values: readonly Json[]): void {
  texts.delete(values);
}

/** What was remembered of this very array, which nobody may have changed since. */
export function textOf(values: readonly Json[]): string | undefined {
  return texts.get(values);
}
