import { Option } from 'commander';
import { usageFailure } from '../../errors.ts';
import { takeEqualsSign } from '../../session/options.ts';
import type { Session } from '../../session/session.ts';
import { quotedUnlessKey } from '../../text/secret.ts';

/** One field of a body: `isTyped` where its value may be more than text. */
export type Field = { readonly key: string; readonly value: string; readonly isTyped: boolean };

/** --raw-field and --field; both add to the same list, so that the fields are in the order in which they were given. */
export function fieldOptions(): readonly Option[] {
  const fields: Field[] = [];
  const options = [
    new Option('-f, --raw-field <key=value>', 'add a text field to the JSON body'),
    new Option(
      '-F, --field <key=value>',
      'add a field: true, false, null, an integer, @FILE, or text',
    ),
  ];
  for (const option of options) {
    option.argParser((text) => {
      fields.push(parseField(text, option, fields));
      return fields;
    });
    takeEqualsSign(option);
  }
  return options;
}

/** @throws Failure (usage) */
function parseField(text: string, { long, short }: Option, before: readonly Field[]): Field {
  const at = text.indexOf('=');
  if (at <= 0) throw usageFailure(`${long} must be KEY=VALUE`, `Example: ${short} name=rabbit`);
  if (text.includes('\ufffd')) {
    throw usageFailure(`invalid ${long}: not UTF-8, or it contains U+FFFD`);
  }
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (key.includes('[')) {
    throw usageFailure(
      `invalid ${long}: "[" is not supported in a key`,
      'Nested fields: use --data',
    );
  }
  if (before.some((field) => field.key === key)) {
    throw usageFailure(`duplicate field${quotedUnlessKey(key)}`);
  }
  return { key, value, isTyped: long === '--field' };
}

/** The JSON object that has these fields. @throws Failure (usage), the signal's reason */
export async function bodyOf(session: Session, fields: readonly Field[]): Promise<string> {
  if (fields.filter(({ value, isTyped }) => isTyped && value === '@-').length > 1) {
    throw usageFailure(
      'standard input can be read only once',
      'Read one of the fields from a file.',
    );
  }
  const parts: string[] = [];
  // Not as an object, which would put keys that are numbers first.
  for (const field of fields) {
    parts.push(`${JSON.stringify(field.key)}:${await jsonOf(session, field)}`);
  }
  return `{${parts.join()}}`;
}

/** What is not text in a typed field; an integer is sent digit by digit. */
const literal = /^(?:true|false|null|0|-?[1-9]\d*)$/;

async function jsonOf(session: Session, { value, isTyped }: Field): Promise<string> {
  if (isTyped && literal.test(value)) return value;
  if (!isTyped || !value.startsWith('@')) return JSON.stringify(value);
  const { readWhole } = await import('./body.ts');
  return JSON.stringify(await readWhole(session, value.slice(1), '--field'));
}
