import {
  Failure,
  type FailureDetails,
  type FailureKind,
  type Outcome,
  type ServiceError,
} from '../errors.ts';
import { type ApiResponse, headerValues, isWrite } from '../request/exchange.ts';
import { isLimited, requestedWait } from '../request/limit-headers.ts';
import { describeBan, quoteReason } from '../request/service-error.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { type ApiKey, describeKey } from './api-key.ts';
import type { Endpoint } from './endpoints.ts';

type Rule = readonly [
  firstStatus: number,
  lastStatus: number,
  kind: FailureKind,
  outcomeOfWrite: 'refused' | 'unknown',
  message: string,
  /** A body of such a form is not the service's, so that neither it nor the key is to blame. */
  foreignForms?: RegExp,
];

/** Meanings of responses whose status is not the promised one. The first row that fits counts. LOCATION is the header field. */
const rules: readonly Rule[] = [
  [401, 401, 'auth', 'refused', 'the API key was rejected', /./],
  [403, 403, 'auth', 'refused', 'the API key does not permit this request', /./],
  [407, 407, 'refused', 'refused', 'a proxy requires a user name and password'],
  [408, 408, 'service', 'unknown', 'the service timed out waiting for the request'],
  [413, 413, 'refused', 'refused', 'the request is too large for the service or a proxy'],
  // With a wrong base URL it is the page of any server.
  [404, 404, 'refused', 'refused', 'the service refused the request'],
  [400, 499, 'refused', 'refused', 'the service refused the request', /HTML/],
  [304, 304, 'service', 'unknown', 'LABEL Not Modified, although petstore asked for no such thing'],
  // Many services answer a write that they carried out with one of these (RFC 9110, section 15.4.4).
  [302, 303, 'service', 'unknown', 'the service redirects to LOCATION'],
  [300, 399, 'service', 'refused', 'the service redirects to LOCATION'],
  [500, 599, 'service', 'unknown', 'server error'],
  [0, 999, 'service', 'unknown', 'expected PROMISED, got LABEL'],
];
const foreignMessage =
  'LABEL with FORM, not an answer of the service: a firewall or a proxy may have sent it';

export function createRefusal(
  endpoint: Endpoint,
  response: ApiResponse,
  { baseUrl, key }: { readonly baseUrl: URL; readonly key: ApiKey },
): Failure {
  const { status, headers, refusal: service = { status } } = response;
  const waitMs = requestedWait(response);
  if (isLimited(response) || (waitMs !== undefined && !isWrite(endpoint.method))) {
    return rateLimitFailure(endpoint, response, service, waitMs ?? 1_000);
  }
  const [, , kind, outcome, ownMessage, foreignForms] = rules.find(
    ([first, last]) => status >= first && status <= last,
  ) as Rule;
  const { form = '', line = '' } = service.text ?? {};
  const isForeign = foreignForms?.test(form) ?? false;
  const template = isForeign ? foreignMessage : ownMessage;
  const [location] = headerValues(headers, 'location');
  const place = location ? `to ${withoutUrlSecrets(location)}` : 'without saying where';
  const promised = { 200: '200 OK', 201: '201 Created', 'any 2xx': 'a 2xx' }[endpoint.status];
  const label = [status, service.code].filter(Boolean).join(' ');
  const whole = template.includes('LABEL') ? template : `${template} (LABEL)`;
  const message = whole
    .replace('PROMISED', promised)
    .replace('FORM', form)
    .replace('LABEL', () => label)
    .replace('to LOCATION', () => place);
  const quote = isForeign ? line && ` (${line})` : quoteReason(service);
  const hint = refusalHint(endpoint, service, isForeign, baseUrl, key);
  const isAway = status >= 502 && status <= 504;
  return createFailure(endpoint, kind, message + quote, outcome, { hint, service, isAway });
}

function rateLimitFailure(
  endpoint: Endpoint,
  { status, receivedAt }: ApiResponse,
  service: ServiceError,
  waitMs: number,
): Failure {
  const refusal = status === 503 ? 'the service is unavailable' : 'rate limit exceeded';
  const message = describeBan(service) ?? refusal + quoteReason(service);
  const when = { resetAt: receivedAt + waitMs, retryAfter: Math.ceil(waitMs / 1_000) };
  return createFailure(endpoint, 'rate_limited', message, 'refused', { ...when, service });
}

const versionPrefix = /\/v\d/;
const seeList = 'See: petstore config list';

function refusalHint(
  { path, status: promised }: Endpoint,
  { status, code }: ServiceError,
  isForeign: boolean,
  baseUrl: URL,
  key: ApiKey,
): string | undefined {
  if (status === 401 || status === 403) {
    const next = isForeign ? seeList : status === 401 && key.renew && `Run: ${key.renew}`;
    return [describeKey(key), next].filter(Boolean).join(' ');
  }
  if (status === 304) return `A cache or a proxy may have responded. ${seeList}`;
  if (status >= 300 && status < 400) return `Redirects are not followed. ${seeList}`;
  if (status !== 404) return isForeign ? seeList : undefined;
  if (!versionPrefix.test(baseUrl.pathname)) {
    return `The base URL must include the version prefix, such as /v1. ${seeList}`;
  }
  if (promised === 'any 2xx' && versionPrefix.test(path)) {
    return 'The path is appended to the base URL, which already includes the version prefix.';
  }
  // With an Error of its own the service says what does not exist.
  return code === undefined || !/\/v\d+\/?$/.test(baseUrl.pathname) ? seeList : undefined;
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
