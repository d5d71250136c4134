import { usageFailure } from '../errors.ts';
import { wordFor } from '../text/secret.ts';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const form = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/;

/**
 * Milliseconds of a duration as users write it: `500ms`, `30s`, `2m`, `1h`, `inf`; a bare number is seconds.
 * @throws Failure (usage); `name` says where it was written.
 */
export function parseDuration(text: string, name: string): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  const [, amount, unit = 's'] = form.exec(text) ?? [];
  if (amount === undefined) {
    throw usageFailure(
      `${name} is ${wordFor(text)}, which is no duration`,
      'Write 500ms, 30s, 2m, 1h or inf.',
    );
  }
  return Number(amount) * units[unit as keyof typeof units];
}
