import type * as z from 'zod/mini';

/** The words for a value that does not fit ("item 3: name is missing"). `isWhole`: its own type is wrong, not that of a part. */
type Mismatch = { readonly words: string; readonly isWhole: boolean };

/** Says why a value does not fit its schema, or returns undefined if it fits. `before` elements of a list came before these. */
export function findMismatch(
  schema: z.ZodMiniType,
  value: unknown,
  before = 0,
): Mismatch | undefined {
  const [issue] = schema.safeParse(value, { jitless: true }).error?.issues ?? [];
  if (!issue) return undefined;
  const { path } = issue;
  const place = path
    .map((step, depth) => placeName(typeof step === 'number' && depth === 0 ? before + step : step))
    .join(': ');
  if (issue.code === 'unrecognized_keys') {
    const words = [place, unknownFields(issue.keys)].filter(Boolean).join(': ');
    return { words, isWhole: false };
  }
  const words = [place, complaint(issue, path.reduce(stepInto, value))].filter(Boolean).join(' ');
  return { words, isWhole: path.length === 0 };
}

function placeName(step: PropertyKey): string {
  if (typeof step === 'number') return `item ${step + 1}`;
  const name = String(step);
  return /^[\w-]+$/.test(name) ? name : `"${name}"`;
}

function unknownFields(names: readonly string[]): string {
  return `unknown field${names.length > 1 ? 's' : ''} ${names.map((name) => `"${name}"`).join(', ')}`;
}

function stepInto(value: unknown, step: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[step];
}

function complaint(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code === 'invalid_type') {
    if (found === undefined) return 'is missing';
    return `must be ${typeNames[issue.expected] ?? issue.expected}, not ${typeName(found)}`;
  }
  return issue.code === 'custom' && found === undefined ? 'is missing' : issue.message;
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeNames[typeof value] ?? typeof value;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  number: 'a number',
  bigint: 'a number',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};
