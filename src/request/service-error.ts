import type { FailureDetails, ServiceError } from '../errors.ts';
import { isJsonObject, isNumber, type Json, parseJson } from '../json/json.ts';
import { cutText } from '../text/quote.ts';
import { type ApiResponse, headerValues, isWrite, type Method } from './exchange.ts';

type Redact = (text: string) => string;

const maxReasonLength = 300;
/** Where services and gateways give a reason. The first of them that is there counts. */
const reasonFields = 'message detail error_description error errors title msg'.split(' ');
const page = /<(?:!doctype html|html|h1|title)\b/i;
const title = /<title[^<>]*>([^<]*)/i;
/** Of what is neither XML nor broken JSON. */
const firstLine = /^\s*([^\s<{[].*)/;
const passwordChallenge = /^(?!.*\bbearer\b).*\b(?:basic|digest|negotiate|ntlm)\b/i;

export function refusedBefore(
  { method, path }: { readonly method: Method; readonly path: string },
  { status, refusal: service }: ApiResponse,
): FailureDetails {
  if (!isWrite(method)) {
    const what = path.endsWith('s') ? 'The list was not' : 'Nothing was';
    return { outcome: 'refused', consequence: `${what} fetched.`, service };
  }
  const consequence = `The service responded with ${status}${quoteReason(service)}; nothing has been sent since.`;
  return { outcome: 'refused', consequence, service };
}

/** Reads the Error in the body of a refusal (interface document, section 7), as much of it as is there, or what others send in its place. */
export function readServiceError(response: ApiResponse, redact: Redact): ServiceError {
  const { status, headers, bytes } = response;
  const body = decodeLeniently(bytes);
  if (body !== undefined) {
    const { code } = isJsonObject(body) ? body : {};
    const isCode = typeof code === 'string' || (isNumber(code) && code !== status);
    const message = findReason(body);
    return {
      status,
      ...(isCode && { code: `${code}` }),
      ...(message && { message: redact(message) }),
    };
  }
  const text = readText(response, redact);
  const isPage = page.test(text);
  const [, found = ''] = (isPage ? title : firstLine).exec(text) ?? [];
  const line = cutText(found.replace(/\s+/g, ' ').trim(), maxReasonLength);
  const asksPassword = passwordChallenge.test(headerValues(headers, 'www-authenticate').join());
  if (asksPassword)
    return { status, text: { form: 'a request for a user name and password', line } };
  if (isPage) return { status, text: { form: 'a page of HTML', line } };
  const isXml = /^\s*</.test(text);
  return { status, ...((line || isXml) && { text: { form: 'a text', line } }) };
}

function decodeLeniently(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function findReason(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(findReason).filter(Boolean).join('; ');
  if (!isJsonObject(value)) return '';
  return reasonFields.map((field) => findReason(value[field])).find(Boolean) ?? '';
}

/** Returns the body of a refusal, redacted, or nothing of one in UTF-16. The last word of one that was cut off may be half a secret. */
export function readText({ bytes, isCut }: ApiResponse, redact: Redact): string {
  const text = new TextDecoder().decode(bytes);
  if (text.includes('\0')) return '';
  return redact(isCut ? text.replace(/(?<!\S)\S*$/, '') : text);
}

export function quoteReason(service: ServiceError | undefined): string {
  const reason = service?.message ?? service?.text?.line;
  return reason ? `: ${cutText(reason, maxReasonLength)}` : '';
}

/** Returns what to say of a 429 whose Error speaks of a ban. The interface document does not show the values of `code`. */
export function describeBan(service: ServiceError | undefined): string | undefined {
  const { code = '', message = '' } = service ?? {};
  const isBan = /(?<![a-z])ban(?:ned)?(?![a-z])/i.test(`${code} ${message}`);
  return isBan ? `the service says your key is banned: ${message || code}` : undefined;
}
