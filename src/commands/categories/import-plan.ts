import type { Plan } from '../../import/plan.ts';
import type { Row } from '../../import/rows.ts';
import { resetMarginMs } from '../../limit/decide.ts';
import { readStatus, type WindowStatus } from '../../limit/status.ts';
import { windowMs } from '../../plans.ts';
import { profileFlag } from '../../session/profile.ts';
import { resolveSetting } from '../../session/resolve.ts';
import type { Session } from '../../session/session.ts';
import { type NamedPlan, parsePlan } from '../../settings/values.ts';
import { quoted } from '../../text/quoted.ts';
import { countOf, duration, formatCount } from '../../time.ts';
import { type Allowance, type Allowances, forecast } from './forecast.ts';

export type KnownLimit = Allowances & { readonly plan: NamedPlan | undefined };

/** The smallest plan allows 1,000 requests per day: fewer, and some earlier ones, fit into one day on any plan. */
const maxOnAnyDay = 900;
const maxListed = 20;

export function resolvePlan(session: Session): NamedPlan | undefined {
  const given = resolveSetting('plan', session);
  return given && parsePlan(given.text, given.source);
}

export async function readKnownLimit(session: Session): Promise<KnownLimit> {
  const plan = resolvePlan(session);
  const { minute, day, wait } = await readStatus(await session.limits());
  const perMinute = allowance(plan?.quotas.minute ?? minute.limit, { ...minute, used: 0 });
  return {
    plan,
    minute: perMinute && wait ? { ...perMinute, left: 0, resetMs: wait.waitMs } : perMinute,
    day: allowance(plan?.quotas.day ?? day.limit, day),
  };
}

function allowance(
  limit: number | undefined,
  { remaining, used = 0, resetMs }: WindowStatus,
): Allowance | undefined {
  if (limit === undefined) return undefined;
  const untilNextMs = resetMs === undefined ? undefined : resetMs + resetMarginMs;
  return { limit, left: remaining ?? Math.max(0, limit - used), resetMs: untilNextMs };
}

/** Predicts all requests of an import: one for each row, a list before and after them, and one for each day that follows. */
export async function forecastImport(session: Session, toCreate: number, made: number) {
  const limit = await readKnownLimit(session);
  const once = toCreate === 0 ? 1 : toCreate + 2;
  const { moreDays = 0 } = forecast(once - made, limit);
  const requests = once + moreDays;
  return { ...limit, ...forecast(requests - made, limit), toCreate, requests };
}

export type ImportForecast = Awaited<ReturnType<typeof forecastImport>>;

export function describeForecast(
  { plan, minute, requests, today, todayMs, moreDays }: ImportForecast,
  { profile }: Session,
): string {
  const needed = countOf(requests, 'request');
  if (minute === undefined || todayMs === undefined) return `${needed}; the rate limit is unknown`;
  const minutes = Math.round(todayMs / windowMs.minute) * windowMs.minute;
  const time = minutes === 0 ? 'less than a minute' : `about ${duration(minutes)}`;
  const more = countOf(moreDays ?? 0, 'more day');
  const days = today === 0 ? `nothing left today, ${more}` : `${time} today and ${more}`;
  const pace = plan ? `on ${plan.name}` : `at ${formatCount(minute.limit)} per minute`;
  const advice =
    moreDays === undefined && requests > maxOnAnyDay
      ? `; the daily limit is unknown (petstore config set plan free${profileFlag(profile)})`
      : '';
  return `${needed}: ${moreDays ? days : time} ${pace}${advice}`;
}

export function describeOddities({ fates, ids, lookAlikes }: Plan, rows: readonly Row[]): string[] {
  const firstRows = new Map<string, Row>();
  const differing: string[] = [];
  const contradicting: string[] = [];
  const similar: string[] = [];
  for (const [index, row] of rows.entries()) {
    const { line, name, description } = row;
    const first = firstRows.get(name);
    if (!first) firstRows.set(name, row);
    const start = `line ${line}: ${quoted(name)}`;
    const lookAlike = lookAlikes.get(index);
    if (fates[index] === 'differs') {
      differing.push(
        `${start} already exists with a different description (id ${ids.get(index)}); it is left unchanged`,
      );
    } else if (fates[index] === 'repeated' && first?.description !== description) {
      contradicting.push(
        `${start} is a duplicate of line ${first?.line} with a different description; line ${first?.line} is used`,
      );
    }
    if (lookAlike !== undefined) {
      similar.push(`${start} is similar to ${quoted(lookAlike)}, which already exists`);
    }
  }
  return [
    ...shorten(differing, 'more exist with a different description'),
    ...shorten(contradicting, 'more duplicates with a different description'),
    ...shorten(similar, 'more similar names'),
  ];
}

function shorten(sentences: readonly string[], more: string): string[] {
  const left = sentences.length - maxListed;
  if (left <= 0) return [...sentences];
  return [...sentences.slice(0, maxListed), `${formatCount(left)} ${more}`];
}
