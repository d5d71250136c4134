import type { Context } from '../context.ts';
import { deadline } from '../deadline.ts';
import { notice, type Report } from '../events.ts';
import { duration } from '../time.ts';
import type { ApiRequest, ApiResponse, SendRequest } from './exchange.ts';

const silenceMs = 1_000;

type Send = (request: ApiRequest, onGrace: (graceMs: number) => void) => Promise<ApiResponse>;

/** Returns a way to send that tells a person at a terminal, after a second and after Ctrl-C, what is waited for. */
export function showSilence(send: Send, context: Context, report: Report): SendRequest {
  let isTold = false;
  const onGrace = (graceMs: number) => {
    // An import has many requests in flight.
    if (isTold) return;
    isTold = true;
    notice(report, `waiting up to ${duration(graceMs)} for the response; Ctrl-C again to stop`);
  };
  return (request) => {
    const wait = { event: 'wait', reason: 'response', next: '', by: Symbol('silence') } as const;
    const why = `waiting for ${request.url.host}`;
    const show = (waitMs: number) => report({ ...wait, why, waitMs });
    const stop = deadline(context, silenceMs, () => show(Number.POSITIVE_INFINITY));
    return send(request, onGrace).finally(() => {
      stop();
      show(0);
    });
  };
}
