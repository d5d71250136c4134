import { Exit, interruptedFailure, usageFailure } from '../../errors.ts';
import { type Caption, createRedraw } from '../../output/redraw.ts';
import type { Sink } from '../../output/sink.ts';
import { canRewrite } from '../../output/status-line.ts';
import { readClock } from '../../pacing/clock.ts';
import { type LimitStatus, limitStatus } from '../../pacing/limit-status.ts';
import { describeWait } from '../../pacing/words.ts';
import { chooseLimitStore } from '../../session/limit-log.ts';
import type { Session } from '../../session/session.ts';
import { timeLeft } from '../../text/time.ts';
import {
  columns,
  missingValues,
  printOverview,
  type SharedThrough,
  sharedThrough,
} from './overview.ts';

/** How often the screen is drawn, in ms. */
const interval = 1_000;
/** How often what is known is read: on this machine, and from a limit store, which all machines ask. */
const readEvery = { local: 900, remote: 4_900 };

/**
 * Shows the limit as it changes, until a signal ends it: a table that is drawn in place, or an object for each change. It reads
 * what processes of this machine, or a limit store, have recorded: no request is sent.
 * @throws Exit always, and Failure (usage) where the output can be neither
 */
export async function watchLimits(session: Session): Promise<never> {
  const { host, limit, output, outputAs } = session;
  const { context, sink } = host;
  const { signal, sleep, uptime } = context;
  const isDrawn = canDraw(session);
  output.checkColumns(columns);
  let captions: readonly Caption[] = [];
  const printer = outputAs({
    sink: isDrawn
      ? createRedraw(context.stdout, sink.laid, () => captions)
      : withoutRepetition(sink.laid),
  });
  try {
    const store = chooseLimitStore(session);
    const log = await limit();
    let ledger = await log.read();
    let readAt = uptime();
    const print = async (...more: readonly Caption[]) => {
      const status = limitStatus(ledger, readClock(context));
      const shared = sharedThrough(store, log);
      captions = [...captionsOf(session, status, shared), ...more];
      await printOverview(printer, status, shared);
    };
    while (!signal.aborted) {
      await print({ text: 'Ctrl-C to stop', look: 'dim' });
      await sleep(interval, signal).catch(() => {});
      if (uptime() - readAt < (log.isRemote?.() ? readEvery.remote : readEvery.local)) continue;
      ledger = await log.read();
      readAt = uptime();
    }
    // The last state stays on the screen, without what a terminal shows of Ctrl-C.
    if (isDrawn) await print();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Exit(interruptedFailure(signal, {}).exitCode);
}

/** Whether it is a table on a terminal; otherwise each change is an object. @throws Failure (usage) */
function canDraw({ host: { context, format } }: Session): boolean {
  if (format === 'ndjson') return false;
  if (format === 'table' && canRewrite(context.stdout, context.env)) return true;
  throw usageFailure(
    '--watch needs a table on a terminal, or -o ndjson',
    'petstore limits --watch -o ndjson',
  );
}

/** A sink that leaves out what is the same as before. */
function withoutRepetition(sink: Sink): Sink {
  let last = '';
  return {
    ...sink,
    async print(lines, paint) {
      const text = JSON.stringify(lines);
      if (text !== last) await sink.print(lines, paint);
      last = text;
    },
  };
}

/** What goes on, below the table. */
function captionsOf(
  { host: { context }, profile }: Session,
  status: LimitStatus,
  shared: SharedThrough | undefined,
): Caption[] {
  const now = context.now();
  const { inFlight, wait } = status;
  const missing = missingValues(status, profile);
  const resets = (['minute', 'day'] as const).flatMap((window) => {
    const { resetAt } = status[window];
    return resetAt === undefined ? [] : `${window} resets in ${timeLeft(resetAt - now)}`;
  });
  return [
    ...(missing ? [{ text: missing }] : []),
    ...(resets.length > 0 ? [{ text: resets.join(', ') }] : []),
    ...(inFlight > 0
      ? [{ text: `${inFlight} ${inFlight === 1 ? 'request' : 'requests'} in flight` }]
      : []),
    ...(wait ? [{ text: describeWait(wait, now), look: 'yellow' as const }] : []),
    ...(shared ? [{ text: describeShared(shared) }] : []),
  ];
}

function describeShared({ address, answers }: SharedThrough): string {
  return answers
    ? `shared with other machines through ${address}`
    : `not shared with other machines: ${address} is not responding`;
}
