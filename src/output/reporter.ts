import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Event, Report, Traced } from '../events.ts';
import { exact, type JsonObject } from '../json/exact.ts';
import { isoEnd, isoTime } from '../text/iso-time.ts';
import { clockTime, timeLeft } from '../text/time.ts';
import { dressFor, type Place } from './dress.ts';
import { createLines } from './lines.ts';
import type { Look } from './paint.ts';
import { progressLine } from './progress.ts';
import type { Outlet } from './sink.ts';
import { createStatus } from './status.ts';
import { canRewrite } from './status-line.ts';
import { waitLine } from './waiting.ts';

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
    !json && canRewrite(context)
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

function lookOf(event: Event): Look | undefined {
  if (event.event === 'rate_limit') return 'dim';
  return event.event === 'deprecation' || (event.event === 'notice' && event.isWarning)
    ? 'yellow'
    : undefined;
}

function eventLine(event: Event, sink: Outlet, now: number): string {
  switch (event.event) {
    case 'rate_limit': {
      const { limit, remaining, resetAt } = event;
      return `rate limit: ${remaining} of ${limit} left, resets in ${timeLeft(resetAt - now)} (${clockTime(resetAt)})`;
    }
    case 'wait':
      return waitLine(event);
    case 'progress':
      return progressLine(event);
    case 'deprecation': {
      const end = event.sunset
        ? `will be removed on ${isoTime(event.sunset).slice(0, 10)}`
        : 'will be removed; no date is published';
      return `deprecated: ${sink.show(event.operation)} ${end}`;
    }
    case 'empty':
      return sink.show(event.message);
    case 'notice':
      return `petstore: ${sink.show(event.message)}`;
  }
}

function eventFields(event: Event, { redact, clean }: Outlet): JsonObject {
  switch (event.event) {
    case 'rate_limit':
      return {
        event: 'rate_limit',
        limit: exact(event.limit),
        remaining: exact(event.remaining),
        resetAt: isoTime(event.resetAt),
      };
    case 'wait':
      return {
        event: 'wait',
        reason: event.reason,
        ...(event.limit !== undefined && { limit: exact(event.limit), remaining: exact(0) }),
        ...(Number.isFinite(event.waitMs) && {
          resetAt: isoEnd(event.resetAt),
          waitMs: exact(Math.ceil(event.waitMs)),
        }),
        ...(event.reason === 'settle' && { count: exact(event.count) }),
        ...(event.reason === 'claimed' && { pid: exact(event.pid) }),
        ...(event.left !== undefined && { left: exact(event.left) }),
      };
    case 'progress':
      return {
        event: 'progress',
        done: exact(event.done),
        total: exact(event.total),
        ...(event.rate !== undefined && { rate: exact(Math.round(event.rate)) }),
        ...(event.leftMs !== undefined && { leftMs: exact(Math.ceil(event.leftMs)) }),
      };
    case 'deprecation':
      return {
        event: 'deprecation',
        operation: redact(event.operation),
        sunset: event.sunset === undefined ? null : isoTime(event.sunset),
      };
    case 'empty':
      return { event: 'notice', message: redact(event.message) };
    case 'notice':
      return {
        event: 'notice',
        message: redact(event.message),
        ...clean(traced(event.more?.fields ?? {})),
      };
  }
}

function traced(fields: Readonly<Record<string, Traced>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, part]) => [
      name,
      Object.fromEntries(
        Object.entries(part).map(([field, value]) => [
          field,
          typeof value === 'number' ? exact(value) : value,
        ]),
      ),
    ]),
  );
}

function failureFields(
  { kind, message, details, exitCode }: Failure,
  { redact }: Outlet,
): JsonObject {
  const { faults, hint, outcome, service, retryAfter, resetAt } = details;
  return {
    event: 'error',
    kind,
    message: redact(service?.message ?? message),
    ...(faults !== undefined && { faults: faults.map(redact) }),
    ...(hint !== undefined && { hint: redact(hint) }),
    ...(outcome !== undefined && { outcome }),
    ...(service?.code !== undefined && { code: redact(service.code) }),
    ...(service !== undefined && { status: exact(service.status) }),
    ...(retryAfter !== undefined && { retryAfter: exact(retryAfter) }),
    ...(resetAt !== undefined && { resetAt: isoEnd(resetAt) }),
    exitCode: exact(exitCode),
  };
}
