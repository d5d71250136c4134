import { followClock, readClock } from '../../pacing/clock.ts';
import type { ClockReading, Ledger } from '../../pacing/ledger.ts';
import { limitStatus, type WindowStatus } from '../../pacing/limit-status.ts';
import { hasLogs } from '../../pacing/log-folders.ts';
import { inWords, tooLate } from '../../pacing/words.ts';
import { sandboxProfile } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { chooseSetting } from '../../session/setting.ts';
import { stateFolder } from '../../settings/folders.ts';
import { isoEnd } from '../../text/iso-time.ts';
import { type Finding, fail, judge, ok, unknown, warn } from './finding.ts';

/** What responses have shown so far of the limit and the time; `maxWait` in ms. */
export async function examineMemory(
  session: Session,
  { check, maxWait }: { readonly check: boolean; readonly maxWait: number },
): Promise<Finding[]> {
  const { context } = session.host;
  if (!check && (await isPrinted(session))) {
    const why = 'unknown: only --check runs the api-key-command';
    return [unknown('limit', why), unknown('clock', why)];
  }
  const isKept = hasLogs(context, stateFolder(context));
  // No log is made just to find out that there is nothing in it.
  if (!isKept && !chooseSetting('limit-store', session)) {
    const why = 'unknown: no request sent yet';
    return [unknown('limit', why), unknown('clock', why)];
  }
  let clock = unknown('clock', 'unknown');
  const limit = await judge('limit', async () => {
    const ledger = await (await session.limit()).read();
    const reading = readClock(context);
    clock = examineClock(followClock(ledger, reading));
    return examineLimit(ledger, reading, maxWait);
  });
  return [limit, clock];
}

/** Whether a program would have to run, and might ask for something, before the limit of its key can be looked up. */
async function isPrinted({ key, profile }: Session): Promise<boolean> {
  const found = profile.name === sandboxProfile ? undefined : await key();
  return found !== undefined && 'print' in found;
}

/** A wait that a command would not wait out is a failure. */
function examineLimit(ledger: Ledger, reading: ClockReading, maxWait: number): Finding {
  const now = reading.at;
  const { minute, day, wait } = limitStatus(ledger, reading);
  if (!wait) {
    const isUnknown = [minute, day].every(
      ({ remaining, used }) => (remaining ?? used) === undefined,
    );
    const numbers = `minute: ${inNumbers(minute)}; day: ${inNumbers(day)}`;
    return isUnknown ? unknown('limit', numbers) : ok('limit', numbers);
  }
  if (wait.until - now > maxWait) return fail('limit', tooLate(wait, now));
  return warn('limit', `${inWords(wait)}; until ${isoEnd(wait.until)}`);
}

function inNumbers({ limit, remaining, used }: WindowStatus): string {
  if (remaining !== undefined) return `${remaining} of ${limit} left`;
  return used === undefined ? 'unknown' : `${used} used`;
}

/** Farther off than this, in ms, and times that people compare make no sense. */
const mostOffset = 30_000;
/** Bounds farther apart than this, in ms, mean nothing. */
const vague = 3_600_000;

/** How far this machine's clock is off the service's. */
function examineClock({ offset }: Ledger): Finding {
  if (!offset || offset.high - offset.low > vague) {
    return unknown('clock', 'unknown: no response with a usable Date header yet');
  }
  const { low, high } = offset;
  if (low <= 0 && high >= 0) {
    return ok('clock', `in sync with the service to within ${inSeconds(Math.max(-low, high))}s`);
  }
  const least = low > 0 ? low : -high;
  const finding = `${inSeconds(least)}s ${low > 0 ? 'slow' : 'fast'} compared with the service`;
  return least > mostOffset ? warn('clock', finding) : ok('clock', finding);
}

function inSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
