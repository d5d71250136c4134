import type * as z from 'zod/mini';
import { ExactNumber } from './exact.ts';

/**
 * What keeps a value from fitting its schema, in words ("item 3: name is missing"), or undefined when it fits. Of the value as
 * a whole they are only what follows its name ("must be an object, not an array"). They never quote the value itself.
 * Of a part of a list `before` is how many items come before it. Zod judges here and does not rebuild: what is handed on is
 * what came.
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
  if (!issue) return { words: 'is invalid' };
  const place = issue.path
    .map((step, at) => placeName(typeof step === 'number' && at === 0 ? before + step : step))
    .join(': ');
  const found = issue.path.reduce<unknown>(stepInto, value);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return {
      words: [place, unknownFields(issue.keys)].filter(Boolean).join(': '),
      object: found,
      key,
    };
  }
  const words = [place, complaint(issue, found)].filter(Boolean).join(' ');
  const last = issue.path.at(-1);
  if (last === undefined) return { words };
  const object = issue.path.slice(0, -1).reduce<unknown>(stepInto, value);
  return { words, object, key: String(last) };
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
    return `must be ${expectedNames[issue.expected] ?? issue.expected}, not ${typeName(found)}`;
  }
  return issue.code === 'custom' && found === undefined ? 'is missing' : issue.message;
}

const expectedNames: Record<string, string> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** What a JSON value is, for a sentence: "a string", "a number", "null" … */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof ExactNumber) return 'a number';
  return { string: 'a string', boolean: 'a boolean', object: 'an object' }[
    typeof value as 'string'
  ];
}
