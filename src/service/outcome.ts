import {
  Failure,
  type FailureDetails,
  type FailureKind,
  type Outcome,
  type ServiceError,
} from '../errors.ts';
import { type ApiResponse, headerValues, isWrite } from '../request/exchange.ts';
import { isLimited, requestedWait } from '../request/limit-headers.ts';
import { describeBan, readServiceError } from '../request/service-error.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { commandOn } from '../text/shell.ts';
import { type ApiKey, describeKey } from './api-key.ts';
import type { Endpoint } from './endpoints.ts';

type Rule = readonly [
  firstStatus: number,
  lastStatus: number,
  kind: FailureKind,
  outcomeOfWrite: 'refused' | 'unknown',
  message: string,
];

/** Meanings of responses whose status is not the promised one. The first row that fits counts. LOCATION is the header field. */
const rules: readonly Rule[] = [
  [401, 401, 'auth', 'refused', 'the API key was rejected'],
  [403, 403, 'auth', 'refused', 'the API key does not permit this request'],
  [407, 407, 'refused', 'refused', 'a proxy requires a user name and password'],
  [408, 408, 'service', 'unknown', 'the service timed out waiting for the request'],
  [413, 413, 'refused', 'refused', 'the request is too large for the service or a proxy'],
  [400, 499, 'refused', 'refused', 'the service refused the request'],
  // Many services answer a write that they carried out with one of these (RFC 9110, section 15.4.4).
  [302, 303, 'service', 'unknown', 'the service redirects to LOCATION'],
  [
    304,
    304,
    'service',
    'unknown',
    'a cache answered that nothing has changed, in place of the service',
  ],
  [300, 399, 'service', 'refused', 'the service redirects to LOCATION'],
  [500, 599, 'service', 'unknown', 'server error'],
  [0, 999, 'service', 'unknown', 'expected PROMISED, got LABEL'],
];

const refusedByOthers = 'a proxy or firewall probably refused the request';
const headersHint = 'See: petstore categories list -v';
const maxTitleLength = 100;

export function createRefusal(
  endpoint: Endpoint,
  response: ApiResponse,
  { baseUrl, key }: { readonly baseUrl: URL; readonly key: ApiKey },
): Failure {
  const { status, headers } = response;
  const service = readServiceError(response);
  const waitMs = requestedWait(response);
  if (isLimited(response) || (waitMs !== undefined && !isWrite(endpoint.method))) {
    return rateLimitFailure(endpoint, response, service, waitMs ?? 1_000);
  }
  const promised = { 200: '200 OK', 201: '201 Created', 'any 2xx': 'a 2xx' }[endpoint.status];
  const rule = rules.find(([first, last]) => status >= first && status <= last) as Rule;
  const [, , kind, outcome, template] = rule;
  if (status >= 300 && status < 400) {
    const [location] = headerValues(headers, 'location');
    const message = `${template.replace('LOCATION', () => withoutUrlSecrets(location ?? 'elsewhere'))} (${status})`;
    const hint = location && redirectHint(location, endpoint, baseUrl);
    return createFailure(endpoint, kind, message, outcome, { hint, service });
  }
  const title = service.message ? undefined : readTitle(response);
  const isOfOthers = title !== undefined && kind === 'auth';
  const quote = service.message || (title && `"${title}"`);
  const label = [status, service.code].filter(Boolean).join(' ');
  const complaint = isOfOthers ? refusedByOthers : template;
  const whole = complaint.endsWith('LABEL') ? complaint : `${complaint} (LABEL)`;
  const filled = whole.replace('PROMISED', promised).replace('LABEL', () => label);
  const message = filled + (quote ? `: ${quote}` : '');
  const hint = isOfOthers ? headersHint : refusalHint(endpoint, service, baseUrl, key);
  const isAway = status >= 502 && status <= 504;
  return createFailure(endpoint, kind, message, outcome, { hint, service, isAway });
}

function rateLimitFailure(
  endpoint: Endpoint,
  { status, receivedAt }: ApiResponse,
  service: ServiceError,
  waitMs: number,
): Failure {
  const refusal = status === 503 ? 'the service is unavailable' : 'rate limit exceeded';
  const message = describeBan(service) ?? refusal;
  const when = { resetAt: receivedAt + waitMs, retryAfter: Math.ceil(waitMs / 1_000) };
  return createFailure(endpoint, 'rate_limited', message, 'refused', { ...when, service });
}

const versionPrefix = /\/v\d/;

function refusalHint(
  { path, status: promised }: Endpoint,
  { status, code, message }: ServiceError,
  baseUrl: URL,
  key: ApiKey,
): string | undefined {
  if (status === 401) return `${describeKey(key)}${key.renew ? ` Run: ${key.renew}` : ''}`;
  if (status === 403) return describeKey(key);
  if (status !== 404) return undefined;
  const hasVersion = versionPrefix.test(baseUrl.pathname);
  const isAnyPath = promised === 'any 2xx';
  // With an Error of its own the service says which id does not exist, unless the version is missing or in the path twice.
  const isAboutId = code !== undefined && message !== undefined && hasVersion;
  if (isAboutId && (path.includes('{') || (isAnyPath && !versionPrefix.test(path))))
    return undefined;
  return isAnyPath && hasVersion
    ? 'The path is appended to the base URL, which already includes the version prefix.'
    : 'The base URL must include the version prefix, such as /v1. See: petstore config list';
}

function redirectHint(location: string, { path }: Endpoint, { href }: URL): string {
  const from = href.replace(/\/*$/, path);
  const [target = ''] = URL.canParse(location, from)
    ? new URL(location, from).href.split(/[?#]/)
    : [];
  if (target === `${from}/`) {
    return 'Redirects are not followed. No base URL helps: the service wants a slash after the path.';
  }
  if (!/^https:[^@]*$/.test(target) || !target.endsWith(path)) return 'Redirects are not followed.';
  const next = commandOn('petstore config set base-url', target.slice(0, -path.length));
  return `Redirects are not followed. If you trust that URL, make it yours. Run: ${next}`;
}

/** Returns the title of an HTML page, which a proxy sends in place of an Error; undefined if it is no page. */
function readTitle({ headers, bytes }: ApiResponse): string | undefined {
  if (!headerValues(headers, 'content-type').some((type) => /\bhtml\b/i.test(type)))
    return undefined;
  const [, title = ''] = /<title[^>]*>([^<]{0,1000})/i.exec(new TextDecoder().decode(bytes)) ?? [];
  return title.trim().replace(/\s+/g, ' ').slice(0, maxTitleLength);
}

type FailedOutcome = Exclude<Outcome, 'created' | 'done'>;

export function createFailure(
  endpoint: Endpoint,
  kind: FailureKind,
  message: string,
  outcome: FailedOutcome,
  details: FailureDetails = {},
): Failure {
  const isUnknown = outcome === 'unknown' && isWrite(endpoint.method);
  return new Failure(isUnknown && kind !== 'internal' ? 'outcome_unknown' : kind, message, {
    ...details,
    ...outcomeDetails(endpoint, outcome),
  });
}

const consequences: Readonly<Record<FailedOutcome, readonly [string, string]>> = {
  not_sent: ['Nothing was sent.', 'Nothing was sent.'],
  refused: ['Nothing was created.', 'Nothing was changed.'],
  unknown: ['It may have been created.', 'It may have been carried out.'],
};

export function outcomeDetails(
  { method, status }: Endpoint,
  outcome: FailedOutcome,
): FailureDetails {
  if (!isWrite(method)) return {};
  const isCreate = status === 201;
  const consequence = consequences[outcome][isCreate ? 0 : 1];
  if (outcome !== 'unknown') return { outcome, consequence };
  const hint = `Check before you retry. Run: petstore ${isCreate ? 'categories list' : 'api GET PATH'}`;
  return { outcome, consequence, hint };
}
