import type { Context } from '../context.ts';
import { deadline } from '../deadline.ts';
import { notice, type Report } from '../events.ts';
import { duration } from '../time.ts';
import type { SendRequest } from './exchange.ts';

const silenceMs = 1_000;

/** Returns a way to send that tells a person at a terminal, after a second and after Ctrl-C, what is waited for. */
export function showSilence(send: SendRequest, context: Context, report: Report): SendRequest {
  let isTold = false;
  const onGrace = (graceMs: number) => {
    // An import has many requests in flight.
    if (isTold) return;
    isTold = true;
    const limit = duration(graceMs);
    notice(report, `waiting up to ${limit} for the response; Ctrl-C again to stop`);
  };
  return (request) => {
    const by = Symbol('silence');
    const why = `waiting for ${request.url.host}`;
    const show = (waitMs: number) =>
      report({ event: 'wait', reason: 'response', why, next: '', by, waitMs });
    const stop = deadline(context, silenceMs, () => show(Number.POSITIVE_INFINITY));
    return send({ ...request, onGrace }).finally(() => {
      stop();
      show(0);
    });
  };
}
