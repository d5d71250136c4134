import type { Session } from '../../session/session.ts';
import { forecast, readKnownLimit } from './forecast.ts';

export type ImportProgress = {
  readonly step: () => void;
  readonly end: () => number;
};

/** The first rows are in flight at the same time: an average of them would be too long. */
const minAveraged = 20;

/** Reports how far an import has come. `before` counts the rows that earlier runs have created. */
export async function startProgress(
  session: Session,
  before: number,
  toCreate: number,
): Promise<ImportProgress> {
  const { report } = session;
  const { uptime } = session.context;
  const startedAt = uptime();
  const total = before + toCreate;
  let done = 0;
  // The last request is that of a list.
  const { totalMs = 0 } = forecast(toCreate + 1, await readKnownLimit(session));
  const endByLimit = uptime() + totalMs;
  show();

  return {
    step() {
      done += 1;
      show();
    },
    end() {
      report({ event: 'progress', done: before + done, total, over: true });
      return uptime() - startedAt;
    },
  };

  function show(): void {
    const now = uptime();
    const byAverage = done < minAveraged ? 0 : ((now - startedAt) / done) * (toCreate - done);
    // Nothing is known of the time that a few rows take within the limit.
    const leftMs = Math.max(endByLimit - now, byAverage) || undefined;
    report({ event: 'progress', done: before + done, total, leftMs });
  }
}
