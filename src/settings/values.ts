import { type Failure, unsentFailure } from '../errors.ts';
import { plans, type Quotas } from '../plans.ts';
import { quoted } from '../text/quote.ts';

/** Returns the failure for a value that cannot be used. Leave `text` out if it may hold a password. */
export function invalid(
  name: string,
  text: string | undefined,
  source: string | undefined,
  hint: string,
): Failure {
  const kind = source === undefined || source.startsWith('--') ? 'usage' : 'config';
  const what = text === undefined ? name : `${name} ${quoted(text)}`;
  return unsentFailure(kind, `invalid ${what}${fromSource(source)}`, hint);
}

export function parseChoice<Word extends string>(
  what: string,
  text: string,
  known: readonly Word[],
  source?: string,
): Word {
  const found = known.find((word) => word === text);
  if (found) return found;
  throw unsentFailure(
    source === undefined ? 'usage' : 'config',
    `unknown ${what} ${quoted(text)}${fromSource(source)}`,
    `Write one of these: ${known.join(', ')}.`,
  );
}

export function fromSource(source: string | undefined): string {
  return source === undefined ? '' : ` from ${source}`;
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

export function parseDuration(text: string, source?: string, examples = '30s, 2m or 1h'): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  const [, amount, unit = 's'] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smh])?$/.exec(text) ?? [];
  if (amount === undefined) throw invalid('duration', text, source, `Write ${examples}.`);
  return Number(amount) * units[unit as keyof typeof units];
}

export function parsePlan(text: string, source?: string): Quotas {
  if (Object.hasOwn(plans, text)) return plans[text as keyof typeof plans];
  const [, minute, day] = /^(\d{1,9})\/min,(\d{1,9})\/day$/.exec(text) ?? [];
  if (!Number(minute) || !Number(day)) {
    const hint = `Must be ${Object.keys(plans).join(', ')} or N/min,M/day.`;
    throw invalid('plan', text, source, hint);
  }
  return { minute: Number(minute), day: Number(day) };
}

/** Parses a command line for a shell. It is never quoted: it may contain what opens a vault. */
export function parseCommand(text: string, source?: string): string {
  if (text.trim() !== '' && !/\p{Cc}/u.test(text)) return text;
  const hint = 'Must not be blank or contain line breaks or control characters.';
  throw invalid('api-key-command', undefined, source, hint);
}

export const builtInProfiles: readonly string[] = ['production', 'staging', 'sandbox'];
export const sandboxProfile = 'sandbox';

/** Devices of Windows, where a file con.json cannot be made, and a name that every object has. */
const reservedName = /^(?:con|prn|aux|nul|(?:com|lpt)\d|constructor)$/;

export function isProfileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) && !reservedName.test(name);
}

export function parseProfileName(name: string, source?: string): string {
  if (isProfileName(name)) return name;
  const hint = reservedName.test(name)
    ? 'This name is reserved; choose another one.'
    : 'Only lower-case letters, digits, "-" and "_" are allowed, at most 64.';
  throw invalid('profile name', name, source, hint);
}
