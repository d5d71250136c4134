import { hasJsonEvents } from '../../../formats.ts';
import { count, type RowOutcome } from '../../../import/outcome.ts';
import { isUtf8 } from '../../../session/app.ts';
import type { Session } from '../../../session/session.ts';
import { duration, formatCount } from '../../../time.ts';
import { countsInWords, say } from './words.ts';

/** Says what became of the rows, on stderr: "✔ 57 created in 1m 2s, 3 already exist". */
export function saySummary(
  session: Session,
  outcomes: readonly RowOutcome[],
  tookMs: number,
): void {
  const { context, format } = session;
  const isWatched = context.stderr.isTTY && !(format && hasJsonEvents(format));
  const mark = isWatched && isUtf8(context.env) ? '✔ ' : '';
  const counts = countsInWords(count(outcomes.map(({ outcome }) => outcome)));
  const parts = counts.map(({ kind, rows, count }) => {
    const time = kind === 'created' ? ` in ${duration(tookMs)}` : '';
    return `${formatCount(count)} ${rows}${time}`;
  });
  say(session, [`${mark}${parts.join(', ')}`]);
}
