import type * as z from 'zod/mini';
import { ExactNumber } from './exact.ts';

/**
 * What keeps a value from fitting its schema, in words ("item 3: field "name" is missing"), or undefined when it fits.
 * The words never quote the value itself. Of a part of a list `before` is how many items come before it. Zod judges here and does not rebuild: what is handed on is what came.
 */
export function findMismatch(
  schema: z.ZodMiniType,
  value: unknown,
  before = 0,
): string | undefined {
  return locateMismatch(schema, value, before)?.words;
}

/** The same, and which field of which object it is; none where it is the whole value. */
export function locateMismatch(
  schema: z.ZodMiniType,
  value: unknown,
  before = 0,
): { readonly words: string; readonly object?: unknown; readonly key?: string } | undefined {
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return undefined;
  const [issue] = result.error.issues;
  if (!issue) return { words: 'it does not fit' };
  const place = issue.path
    .map((step, at) => placeName(typeof step === 'number' && at === 0 ? before + step : step))
    .join(': ');
  const found = issue.path.reduce<unknown>(stepInto, value);
  const words = [place, complaint(issue, found)].filter(Boolean).join(' ');
  if (issue.code === 'unrecognized_keys') return { words, object: found, key: issue.keys[0] ?? '' };
  const object = issue.path.slice(0, -1).reduce<unknown>(stepInto, value);
  return { words, object, key: String(issue.path.at(-1)) };
}

function placeName(step: PropertyKey): string {
  return typeof step === 'number' ? `item ${step + 1}` : `field "${String(step)}"`;
}

function stepInto(value: unknown, step: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[step];
}

function complaint(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code === 'invalid_type') {
    if (found === undefined) return 'is missing';
    return `is ${typeName(found)} where ${expectedNames[issue.expected] ?? issue.expected} belongs`;
  }
  if (issue.code === 'unrecognized_keys') {
    return `has a field nobody knows: ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  }
  return issue.code === 'custom' && found === undefined ? 'is missing' : issue.message;
}

const expectedNames: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** What a JSON value is, for a sentence: "text", "a number", "null" … */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  return { string: 'text', boolean: 'true or false', object: 'an object' }[
    typeof value as 'string'
  ];
}
