import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Event, Report } from '../events.ts';
import { dressFor, type Place } from './dress.ts';
import { eventFields, failureFields } from './event-json.ts';
import { eventLine, lookOf } from './event-text.ts';
import { createLines } from './lines.ts';
import type { Look } from './paint.ts';
import type { Outlet } from './sink.ts';
import { createStatus } from './status.ts';
import { canRewrite } from './status-line.ts';

export type ReporterOptions = {
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  /** Only errors are said. */
  readonly quiet: boolean;
  readonly color: boolean;
  /** Whether a bar has to be drawn with ASCII. */
  readonly ascii?: boolean;
};

export type Reporter = {
  readonly report: Report;
  /** Takes what still goes on off the screen, whatever is yet reported of it. */
  readonly end: () => void;
};

/** Says on stderr what happens besides the result. */
export function createReporter(
  context: Context,
  sink: Outlet,
  { json, quiet, color, ascii = false }: ReporterOptions,
): Reporter {
  if (quiet) return { report: () => {}, end: () => {} };
  const place = { color, width: context.stderr.columns };
  const say = (event: Event) => {
    if (json) return sink.laid.say(sink.laid.json(eventFields(event, sink)));
    sink.laid.say(eventLine(event, sink, context.now()), dressFor(place, lookOf(event)));
    const lines = event.event === 'notice' ? (event.more?.lines ?? []) : [];
    for (const line of lines) {
      sink.laid.say(`petstore: ${sink.show(line)}`, dressFor(place, lookOf(event)));
    }
  };
  const { show, end } =
    !json && canRewrite(context.stderr, context.env)
      ? createStatus(context, sink, { color, ascii })
      : { show: createLines(context, say), end: () => {} };
  const goesOn = (event: Event) => event.event === 'wait' || event.event === 'progress';
  return { report: (event) => (goesOn(event) ? show(event) : say(event)), end };
}

/**
 * Says why the command failed: the faults of an input one by one, then at most three lines, of which the first stands out; or
 * one `error` event.
 */
export function reportFailure(
  sink: Outlet,
  failure: Failure,
  place: Place & { readonly json: boolean },
): void {
  if (place.json) {
    sink.laid.say(sink.laid.json(failureFields(failure, sink)));
    return;
  }
  const { consequence, faults = [], hint } = failure.details;
  // A single one is the message itself.
  for (const fault of faults.length > 1 ? faults : []) say(fault);
  say(`petstore: ${failure.message}`, 'red');
  for (const line of [consequence, hint]) if (line) say(line);

  function say(line: string, look?: Look): void {
    sink.laid.say(shorten(sink.show(line)), dressFor(place, look));
  }
}

/** Longest line of an error, in characters: most of a longer one is somebody else's text. */
const longestLine = 500;

function shorten(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine).trimEnd()}…` : line;
}
