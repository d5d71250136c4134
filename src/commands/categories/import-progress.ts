import type { Session } from '../../session/session.ts';
import { forecast } from './forecast.ts';
import { readKnownLimit } from './import-plan.ts';

export type ImportProgress = {
  readonly step: () => void;
  /** Ends the report. Returns how long it took, in ms. */
  readonly end: () => number;
};

/** Others may use the limit, too. In between, our own requests do not change when it lets the last one through. */
const rereadAfterMs = 1_000;
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
  let done = 0;
  let readAt = startedAt;
  let endByLimit = await predictEnd();
  show();

  return {
    step() {
      done += 1;
      if (uptime() - readAt >= rereadAfterMs) void reread();
      show();
    },
    end() {
      report({ event: 'progress', done: before + done, total: before + toCreate, over: true });
      return uptime() - startedAt;
    },
  };

  function show(): void {
    const now = uptime();
    const left = toCreate - done;
    const byAverage = done < minAveraged ? 0 : ((now - startedAt) / done) * left;
    // Nothing is known of the time that a few rows take within the limit.
    const leftMs = Math.max(endByLimit - now, byAverage) || undefined;
    report({ event: 'progress', done: before + done, total: before + toCreate, leftMs });
  }

  async function reread(): Promise<void> {
    readAt = uptime();
    // An estimate is not worth the end of an import.
    endByLimit = await predictEnd().catch(() => endByLimit);
  }

  async function predictEnd(): Promise<number> {
    const limit = await readKnownLimit(session);
    return uptime() + (forecast(toCreate - done + 1, limit).totalMs ?? 0);
  }
}
