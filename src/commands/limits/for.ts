import { notice, warn } from '../../events.ts';
import { type Allowance, forecast } from '../../import/forecast.ts';
import { exact, type JsonObject } from '../../json/exact.ts';
import { describeWait } from '../../pacing/words.ts';
import { profileFlag } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { forecastFields, forecastInWords, nextPlanInWords } from '../forecast-words.ts';
import { knownLimit, planOf } from '../known-limit.ts';
import { waitFields } from './overview.ts';

/** Prints when that many requests would be done, by what this machine knows: none is sent. */
export async function printForecast(session: Session, requests: number): Promise<void> {
  const { host, output, profile, report } = session;
  const limit = await knownLimit(session, planOf(profile));
  const expected = forecast(requests, limit);
  if (expected.todayMs === undefined) {
    const flag = profileFlag(profile);
    notice(
      report,
      `to get the limit: petstore limits --refresh${flag} (one request), or petstore config set plan free${flag}`,
    );
  }
  if (limit.wait) warn(report, describeWait(limit.wait, host.context.now()));
  const next = nextPlanInWords(expected, limit);
  const lines = [forecastInWords(expected, limit, { end: true }), ...(next ? [next] : [])];
  await output.sentences(lines, {
    requests: exact(requests),
    ...forecastFields(expected, limit),
    windows: {
      minute: windowFields(limit.minute),
      day: windowFields(limit.day),
    },
    wait: limit.wait ? waitFields(limit.wait) : null,
  });
}

/** What the forecast counts on. */
function windowFields(window: Allowance | undefined): JsonObject | null {
  if (!window) return null;
  const { limit, left, others } = window;
  return {
    limit: exact(limit),
    left: exact(left),
    others: others === undefined ? null : exact(others),
  };
}
