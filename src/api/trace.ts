import type { Context, WireHeaders } from '../context.ts';
import { notice, type Report } from '../events.ts';
import { cutMark } from '../text/secret.ts';
import { type ApiRequest, type Exchange, headerValues } from './exchange.ts';
import { unusableLimit } from './rate-limit.ts';

/** Longest value of a header field in the log of --verbose, in characters. */
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

  return async (request) => {
    const { method, url, body, attempt = 1 } = request;
    const asked = { method, url: url.href, attempt };
    const bytes = body === undefined ? undefined : Buffer.byteLength(body);
    const size = bytes === undefined ? '' : `, ${bytes} bytes`;
    const sent = printable(shownHeaders(request));
    report({
      event: 'notice',
      message: `> ${method} ${url.href}${size}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
      lines: headerLines('>', sent),
      request: { ...asked, headers: sent, ...(bytes !== undefined && { bytes }) },
    });
    const start = context.uptime();
    const ms = () => Math.round(context.uptime() - start);
    try {
      const answer = await next(request);
      const length = answer.rest ? `more than ${request.restAbove}` : answer.bytes.length;
      const took = ms();
      const headers = redacted(answer.headers, redact);
      const received = printable(headers);
      const response = { ...asked, status: answer.status, headers: received, ms: took };
      report({
        event: 'notice',
        message: `< ${answer.status}, ${length} bytes (${took} ms)`,
        lines: headerLines('<', received),
        response,
      });
      const unusable = unusableLimit(headers, answer.limits);
      if (unusable.length > 0 && !warned) {
        warned = true;
        notice(report, `ignored in the response: ${unusable.join(', ')}`);
      }
      return answer;
    } catch (error) {
      const message = error instanceof Error ? error.message : 'no response';
      notice(report, `< ${message} (${ms()} ms)`);
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

type Shown = Readonly<Record<string, string | string[]>>;

/** Header fields as they may be shown; one that came more than once has a list of values. */
function printable(headers: WireHeaders): Shown {
  const names = Object.keys(headers);
  return Object.fromEntries(
    names.map((name) => {
      const values = headerValues(headers, name).map((value) => shownValue(name, value));
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

function headerLines(mark: '<' | '>', headers: Shown): string[] {
  return Object.keys(headers).flatMap((name) =>
    headerValues(headers, name).map((value) => `${mark} ${name}: ${value}`),
  );
}

/** A cookie may let in whoever has it, and what is said here ends up in tickets. */
function shownValue(name: string, value: string): string {
  if (name === 'set-cookie') return '[cookie]';
  return value.length > longestValue ? `${value.slice(0, longestValue)}…` : value;
}
