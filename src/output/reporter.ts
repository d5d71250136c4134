import { type Context, type Environment, isCi } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Event, Report } from '../events.ts';
import { chooseStyle, eventJson, eventText, failureEvent } from './event-text.ts';
import type { Sink } from './sink.ts';
import { createStatusLine, createStatusLines } from './status-line.ts';

export type ReporterOptions = {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
};

export function createReporter(
  context: Pick<Context, 'stderr' | 'env' | 'now' | 'uptime'>,
  sink: Sink,
  { json, quiet, color }: ReporterOptions,
): { readonly report: Report; readonly end: () => void } {
  if (quiet) return { report: () => {}, end: () => {} };
  const say = (event: Event) => {
    if (json) return sink.sayJson(eventJson(event, sink.redact));
    sink.say(eventText(event, context.now()), chooseStyle(event));
    const { lines = [] } = event.event === 'notice' ? event : {};
    for (const line of lines) sink.say(`petstore: ${line}`);
  };
  const { env, stderr } = context;
  const { stream } = stderr;
  // A terminal that does not tell its width cannot be trusted to rewrite a line.
  const canRewrite =
    stderr.isTTY && stream && stream.columns > 0 && !isDumb(env) && !isCi(env) && !json;
  const status = canRewrite
    ? createStatusLine(context, sink, { stream, color })
    : createStatusLines(context, say);
  return {
    report: (event) =>
      event.event === 'wait' || event.event === 'progress' ? status.show(event) : say(event),
    end: status.end,
  };
}

export function isDumb({ TERM }: Environment): boolean {
  return TERM === 'dumb' || TERM === '';
}

export function reportFailure(sink: Sink, failure: Failure, json: boolean): void {
  if (json) {
    sink.sayJson(eventJson(failureEvent(failure), sink.redact));
    return;
  }
  const { faults = [], consequence, hint } = failure.details;
  for (const fault of faults.length > 1 ? faults : []) sink.say(fault);
  sink.say(`petstore: ${failure.message}`, 'red');
  for (const line of [consequence, hint]) if (line) sink.say(line);
}
