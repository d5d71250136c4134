import { usageFailure } from '../errors.ts';
import { plans, type Quotas } from '../plans.ts';
import { wordFor } from '../text/secret.ts';

/** A plan as users name it, and what it allows. */
export type NamedPlan = { readonly name: string; readonly quotas: Quotas };

const form = /^(\d{1,9})\/min,(\d{1,9})\/day$/;

/**
 * The plan of the setting `plan`: `free`, `pro`, `business`, or `N/min,M/day` for one of the user's own.
 * @throws Failure (usage); `source` says where it was written.
 */
export function parsePlan(text: string, source: string): NamedPlan {
  if (Object.hasOwn(plans, text)) {
    const name = text as keyof typeof plans;
    return { name: name.charAt(0).toUpperCase() + name.slice(1), quotas: plans[name] };
  }
  const [, minute, day] = form.exec(text) ?? [];
  if (!Number(minute) || !Number(day)) {
    throw usageFailure(
      `${source} is ${wordFor(text)}, which is no plan`,
      `Write ${Object.keys(plans).join(', ')} or N/min,M/day.`,
    );
  }
  return { name: text, quotas: { minute: Number(minute), day: Number(day) } };
}
