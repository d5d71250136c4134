import { usageFailure } from '../errors.ts';
import { type Format, formats, isFormat } from '../formats.ts';
import { plans, type Quotas } from '../plans.ts';
import { wordFor } from '../text/secret.ts';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const durationForm = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/;

/**
 * Milliseconds of a duration as users write it: `500ms`, `30s`, `2m`, `1h`, `inf`; a bare number is seconds.
 * @throws Failure (usage); `name` says where it was written.
 */
export function parseDuration(text: string, name: string): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  const [, amount, unit = 's'] = durationForm.exec(text) ?? [];
  if (amount === undefined) {
    throw usageFailure(
      `${name} is ${wordFor(text)}, which is no duration`,
      'Write 500ms, 30s, 2m, 1h or inf.',
    );
  }
  return Number(amount) * units[unit as keyof typeof units];
}

/** A plan as users name it, and what it allows. */
export type NamedPlan = { readonly name: string; readonly quotas: Quotas };

const planForm = /^(\d{1,9})\/min,(\d{1,9})\/day$/;

/**
 * The plan of the setting `plan`: `free`, `pro`, `business`, or `N/min,M/day` for one of the user's own.
 * @throws Failure (usage); `source` says where it was written.
 */
export function parsePlan(text: string, source: string): NamedPlan {
  if (Object.hasOwn(plans, text)) {
    const name = text as keyof typeof plans;
    return { name: name.charAt(0).toUpperCase() + name.slice(1), quotas: plans[name] };
  }
  const [, minute, day] = planForm.exec(text) ?? [];
  if (!Number(minute) || !Number(day)) {
    throw usageFailure(
      `${source} is ${wordFor(text)}, which is no plan`,
      `Write ${Object.keys(plans).join(', ')} or N/min,M/day.`,
    );
  }
  return { name: text, quotas: { minute: Number(minute), day: Number(day) } };
}

/** @throws Failure (usage); `place` says where it was given. */
export function parseFormat(text: string, place: string | undefined): Format {
  if (isFormat(text)) return text;
  const where = place === undefined ? '' : ` in ${place}`;
  throw usageFailure(
    `${wordFor(text)}${where} is no output format`,
    `One of: ${formats.join(', ')}`,
  );
}

/** A line for a shell, that messages can quote. @throws Failure (usage), which shows nothing of it */
export function parseCommand(text: string): string {
  if (text.trim() !== '' && !/\p{Cc}/u.test(text)) return text;
  throw usageFailure(
    'this is no command: it is empty, or has a line break or control character in it',
    "For example: petstore config set api-key-command 'pass show petstore'",
  );
}

/** The profiles that always exist. */
export const builtInProfiles = ['production', 'staging', 'sandbox'] as const;

export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name);
}

/** @throws Failure (usage); `source` says where it was given. */
export function parseProfileName(name: string, source: string): string {
  if (isProfileName(name)) return name;
  throw usageFailure(
    `${wordFor(name)} in ${source} is no profile name`,
    'Letters, digits, "-" and "_" only.',
  );
}
