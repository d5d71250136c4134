import type { Context, WireHeaders } from '../context.ts';
import { notice, type Report } from '../events.ts';
import { cutText } from '../text/quote.ts';
import { cutMark } from '../text/secret.ts';
import { type ApiRequest, type ApiResponse, headerValues, type SendRequest } from './exchange.ts';
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
    reportRequest(request, number, report);
    const start = context.uptime();
    const elapsedMs = () => Math.round(context.uptime() - start);
    try {
      const response = await send(request);
      const body = response.status >= 300 ? readText(response, redact) : '';
      const found = { number, ms: elapsedMs(), body: cutText(body, maxBodyLength) };
      reportResponse(request, response, found, report);
      return response;
    } catch (error) {
      const message = error instanceof Error ? error.message : 'no response';
      notice(report, `< #${number} ${message} (${elapsedMs()} ms)`);
      throw error;
    }
  };
}

function reportRequest(request: ApiRequest, number: number, report: Report): void {
  const { body, attempt = 1 } = request;
  const { method, url, headers } = describeRequest(request);
  const bytes = body === undefined ? undefined : Buffer.byteLength(body);
  const [line = '', ...lines] = requestLines(request, `#${number} `);
  report({
    event: 'notice',
    message: `${line}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
    lines,
    request: { number, method, url, attempt, headers, ...(bytes !== undefined && { bytes }) },
  });
}

/** Returns the lines of a request, but for its body. */
export function requestLines(request: ApiRequest, number = ''): string[] {
  const { method, url, headers } = describeRequest(request);
  const { body } = request;
  const size = body === undefined ? '' : `, ${Buffer.byteLength(body)} bytes`;
  return [`> ${number}${method} ${url}${size}`, ...headerLines('>', headers)];
}

function reportResponse(
  { method, url, attempt = 1, streamAboveBytes }: ApiRequest,
  { status, bytes, stream, ...response }: ApiResponse,
  { number, ms, body }: { readonly number: number; readonly ms: number; readonly body: string },
  report: Report,
): void {
  const length = stream ? `more than ${streamAboveBytes}` : bytes.length;
  const headers = loggedHeaders(response.headers);
  report({
    event: 'notice',
    message: `< #${number} ${status}, ${length} bytes (${ms} ms)`,
    lines: [
      ...headerLines('<', headers),
      ...(body.match(linesOfBody) ?? []).map((line) => `<< ${line}`),
    ],
    response: {
      number,
      method,
      url: url.href,
      attempt,
      status,
      headers,
      ms,
      ...(body && { body }),
    },
  });
}

/** Returns what may be shown of a request: all but the key. */
export function describeRequest({ method, url, headers }: ApiRequest) {
  return { method, url: url.href, headers: { ...headers, authorization: `Bearer ${cutMark}` } };
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
