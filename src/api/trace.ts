import type { Context, WireHeaders } from '../context.ts';
import { notice, type Report } from '../events.ts';
import { cutMark } from '../text/secret.ts';
import { type ApiRequest, type Exchange, headerValues } from './exchange.ts';
import { unusableLimit } from './rate-limit.ts';

/** Longest value of a header field that is shown, in characters. */
const longestValue = 300;

/**
 * Reports each request and its answer with their header fields, sizes and the time it took, never their bodies; and the first
 * answer whose limit cannot be read whole. `redact` takes secrets out of what the service said, before any of it is cut short:
 * half a key is known by nobody.
 */
export function trace(
  next: Exchange,
  context: Context,
  report: Report,
  redact: (text: string) => string,
): Exchange {
  let warned = false;
  const say = (message: string) => notice(report, message);

  return async (request) => {
    const { method, url, body, attempt = 1 } = request;
    const size = body === undefined ? '' : `, ${Buffer.byteLength(body)} bytes`;
    say(`> ${method} ${url.href}${size}${attempt > 1 ? ` (attempt ${attempt})` : ''}`);
    for (const line of headerLines(shownHeaders(request))) say(`> ${line}`);
    const start = context.uptime();
    const took = () => `${Math.round(context.uptime() - start)} ms`;
    try {
      const answer = await next(request);
      const length = answer.rest ? `more than ${request.restAbove}` : answer.bytes.length;
      say(`< ${answer.status}, ${length} bytes (${took()})`);
      const headers = redacted(answer.headers, redact);
      for (const line of headerLines(headers)) say(`< ${line}`);
      const unusable = unusableLimit(headers, answer.limits);
      if (unusable.length > 0 && !warned) {
        warned = true;
        say(`ignored in the response: ${unusable.join(', ')}`);
      }
      return answer;
    } catch (error) {
      say(`< ${error instanceof Error ? error.message : 'no response'} (${took()})`);
      throw error;
    }
  };
}

/** The header fields of a request as they may be shown: with its key, but not which. */
export function shownHeaders({ headers }: ApiRequest): Readonly<Record<string, string>> {
  return { ...headers, authorization: `Bearer ${cutMark}` };
}

function redacted(headers: WireHeaders, redact: (text: string) => string): WireHeaders {
  const names = Object.keys(headers);
  return Object.fromEntries(names.map((name) => [name, headerValues(headers, name).map(redact)]));
}

function headerLines(headers: WireHeaders): string[] {
  return Object.keys(headers).flatMap((name) =>
    headerValues(headers, name).map((value) => `${name}: ${shownValue(name, value)}`),
  );
}

/** A cookie may let in whoever has it, and what is said here ends up in tickets. */
function shownValue(name: string, value: string): string {
  if (name === 'set-cookie') return '[cookie]';
  return value.length > longestValue ? `${value.slice(0, longestValue)}…` : value;
}
