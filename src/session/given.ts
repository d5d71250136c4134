/** A value in force, and where it was given: a flag, a variable, the settings file, or `default`. */
export type Given = { readonly value: string; readonly source: string };

/** Where a value may be given, and what is given there. */
export type Way = readonly [source: string, value: string | undefined];

/** The first value that is given at all: precedence is the order of the ways. */
export function firstGiven(ways: readonly Way[]): Given | undefined {
  for (const [source, value] of ways) if (value !== undefined) return { value, source };
  return undefined;
}
