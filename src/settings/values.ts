import { usageFailure } from '../errors.ts';
import { type Format, formats, isFormat } from '../formats.ts';
import { plans, type Quotas } from '../plans.ts';
import { quotedUnlessKey } from '../text/secret.ts';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const durationForm = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/;

/**
 * Milliseconds of a duration as users write it: `500ms`, `30s`, `2m`, `1h`, `inf`; a bare number is seconds.
 * @throws Failure (usage); `name` is the option or setting that it was given for, `examples` are some that it takes.
 */
export function parseDuration(text: string, name: string, examples = '30s, 2m or 1h'): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  const [, amount, unit = 's'] = durationForm.exec(text) ?? [];
  if (amount === undefined) {
    throw usageFailure(`invalid duration${quotedUnlessKey(text)} for ${name}; try ${examples}`);
  }
  return Number(amount) * units[unit as keyof typeof units];
}

/** How long to wait for the rate limit, in ms: never, or without a limit too. @throws Failure (usage) */
export function parseMaxWait(text: string, name: string): number {
  return parseDuration(text, name, '30s, 2m, 0 or inf');
}

/** A plan as users name it, and what it allows. */
export type NamedPlan = { readonly name: string; readonly quotas: Quotas };

/** The plans of the service, from the smallest to the largest. */
const namedPlans: readonly NamedPlan[] = Object.entries(plans).map(([name, quotas]) => ({
  name: name.charAt(0).toUpperCase() + name.slice(1),
  quotas,
}));

/** The next larger plan; none after the largest, nor after one of the user's own. */
export function planAfter({ name }: NamedPlan): NamedPlan | undefined {
  const at = namedPlans.findIndex((plan) => plan.name === name);
  return at < 0 ? undefined : namedPlans[at + 1];
}

const planForm = /^(\d{1,9})\/min,(\d{1,9})\/day$/;

/**
 * The plan of the setting `plan`: `free`, `pro`, `business`, or `N/min,M/day` for one of the user's own.
 * @throws Failure (usage); `name` is the setting that it was given for.
 */
export function parsePlan(text: string, name: string): NamedPlan {
  const known = namedPlans.find(({ name }) => name.toLowerCase() === text);
  if (known) return known;
  const [, minute, day] = planForm.exec(text) ?? [];
  if (!Number(minute) || !Number(day)) {
    throw usageFailure(
      `invalid value${quotedUnlessKey(text)} for ${name}`,
      `Must be ${Object.keys(plans).join(', ')} or N/min,M/day.`,
    );
  }
  return { name: text, quotas: { minute: Number(minute), day: Number(day) } };
}

/** @throws Failure (usage); `place` says where it was given. */
export function parseFormat(text: string, place?: string): Format {
  if (isFormat(text)) return text;
  throw usageFailure(
    `invalid output format${quotedUnlessKey(text)}${from(place)}`,
    `Must be one of: ${formats.join(', ')}`,
  );
}

/** A line for a shell, that messages can quote. @throws Failure (usage), which shows nothing of it; `place` says where it was given. */
export function parseCommand(text: string, place?: string): string {
  if (text.trim() !== '' && !/\p{Cc}/u.test(text)) return text;
  throw usageFailure(
    `invalid api-key-command${from(place)}: must not be blank or contain line breaks or control characters`,
    "Example: petstore config set api-key-command 'pass show petstore'",
  );
}

/** The profiles that always exist. */
export const builtInProfiles = ['production', 'staging', 'sandbox'] as const;

export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name);
}

/** @throws Failure (usage); `place` says where it was given. */
export function parseProfileName(name: string, place?: string): string {
  if (isProfileName(name)) return name;
  throw usageFailure(
    `invalid profile name${quotedUnlessKey(name)}${from(place)}`,
    'Only letters, digits, "-" and "_" are allowed, at most 64.',
  );
}

/** Where a value was given, as the end of a message; nothing where that is plain. */
export function from(place: string | undefined): string {
  return place === undefined ? '' : ` from ${place}`;
}
