import type { Context, WireHeaders } from '../context.ts';
import { notice, type Report } from '../events.ts';
import { cutText } from '../text/quote.ts';
import { cutMark } from '../text/secret.ts';
import { type ApiRequest, headerValues, type SendRequest } from './exchange.ts';
import { readText } from './service-error.ts';

const maxBodyLength = 1_000;
/** The sink cuts lines of more than 500 UTF-16 units, of which a character may take two. */
const linesOfBody = /.{1,240}/gu;

export function trace(
  send: SendRequest,
  context: Context,
  report: Report,
  redact: (text: string) => string,
): SendRequest {
  let count = 0;
  return async (request) => {
    count += 1;
    const number = count;
    const { attempt = 1, streamAboveBytes } = request;
    const { record, bytes, lines } = describeRequest(request, `#${number} `);
    const { headers, ...target } = record;
    const exchange = { number, ...target, attempt };
    report({
      event: 'notice',
      message: `${lines[0]}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
      lines: lines.slice(1),
      request: { ...exchange, headers, bytes },
    });
    const start = context.uptime();
    const elapsedMs = () => Math.round(context.uptime() - start);
    try {
      const response = await send(request);
      const { status, bytes, stream } = response;
      const headers = loggedHeaders(response.headers);
      const body = status >= 300 ? cutText(readText(response, redact), maxBodyLength) : '';
      const length = stream ? `more than ${streamAboveBytes}` : bytes.length;
      const ms = elapsedMs();
      report({
        event: 'notice',
        message: `< #${number} ${status}, ${length} bytes (${ms} ms)`,
        lines: [
          ...headerLines('<', headers),
          ...(body.match(linesOfBody) ?? []).map((line) => `<< ${line}`),
        ],
        response: { ...exchange, status, headers, ms, body: body || undefined },
      });
      return response;
    } catch (error) {
      const message = error instanceof Error ? error.message : 'no response';
      notice(report, `< #${number} ${message} (${elapsedMs()} ms)`);
      throw error;
    }
  };
}

/** Returns what may be shown of a request, which is all but the key: as a record and as lines, without the body. */
export function describeRequest({ method, url, headers, body }: ApiRequest, number = '') {
  const record = {
    method,
    url: url.href,
    headers: { ...headers, authorization: `Bearer ${cutMark}` },
  };
  const bytes = body === undefined ? undefined : Buffer.byteLength(body);
  const size = bytes === undefined ? '' : `, ${bytes} bytes`;
  const first = `> ${number}${method} ${url}${size}`;
  return { record, bytes, lines: [first, ...headerLines('>', record.headers)] };
}

/** Cookies are hidden: they may grant access, and logs end up in tickets. */
function loggedHeaders(headers: WireHeaders): WireHeaders {
  return 'set-cookie' in headers ? { ...headers, 'set-cookie': '[cookie]' } : headers;
}

function headerLines(mark: '<' | '>', headers: WireHeaders): string[] {
  return Object.keys(headers).flatMap((name) =>
    headerValues(headers, name).map((value) => `${mark} ${name}: ${value}`),
  );
}
