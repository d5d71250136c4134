import {
  Failure,
  type FailureDetails,
  type FailureKind,
  interruptedFailure,
  type Outcome,
  type ServiceError,
} from '../errors.ts';
import { cutOut, formsOf } from '../text/secret.ts';
import { type ApiKey, whichKey } from './auth.ts';
import type { Endpoint } from './endpoints.ts';
import { type Answer, headerValues, type Undelivered } from './exchange.ts';
import { mayChange } from './method.ts';
import { requestedWait } from './rate-limit.ts';
import { readServiceError, saysBanned } from './service-error.ts';

type Words = Readonly<Record<Exclude<Outcome, 'created' | 'done'>, string>> & {
  /** What to do when the outcome is unknown. */
  readonly look: string;
};

const ofCreate: Words = {
  not_sent: 'Nothing was sent.',
  refused: 'Nothing was created.',
  unknown: 'It may have been created.',
  look: 'Check before you retry: petstore categories list',
};
const ofChange: Words = {
  not_sent: 'Nothing was sent.',
  refused: 'Nothing was changed.',
  unknown: 'It may have been carried out.',
  look: 'Check before you retry: petstore api GET PATH',
};

export type Verdict = ReturnType<typeof createVerdict>;

/** Failures of one operation: what failed and, for a write, what became of it. */
export function createVerdict(
  { method, path, status: promised }: Endpoint,
  { baseUrl, key }: { readonly baseUrl: URL; readonly key: ApiKey },
) {
  const writes = mayChange(method);
  const words = promised === 201 ? ofCreate : ofChange;
  const hasVersion = /\/v\d/.test(baseUrl.pathname);
  const whereItLooked =
    promised === 'any 2xx' && hasVersion
      ? 'The path is appended to the base URL, which already includes the version prefix.'
      : 'Check the base URL, which must include the version prefix (such as /v1): petstore config list';

  /** A 404 may be about the one thing that the path names. */
  const namesOne = promised === 'any 2xx' || path.includes('{');

  /** What a write's outcome adds to a failure; a read has none. */
  function became(outcome: keyof Words & Outcome): FailureDetails {
    return writes ? { outcome, consequence: words[outcome] } : {};
  }

  function unknown(message: string, details: FailureDetails = {}): Failure {
    if (!writes) return new Failure('service', message, details);
    return new Failure('outcome_unknown', message, {
      ...details,
      ...became('unknown'),
      hint: words.look,
    });
  }

  return {
    /** The failure for an answer whose status is not the promised one. */
    refused(answer: Answer): Failure {
      const service = withoutKey(readServiceError(answer), key);
      const { status } = service;
      const details = { ...became('refused'), service };
      const failure = (kind: FailureKind, ours: string, more: FailureDetails) =>
        new Failure(kind, said(ours, service), { ...details, ...more });
      if (status === 401) {
        const hint = `${whichKey(key)}${key.renew ? ` Replace it: ${key.renew}` : ''}`;
        return failure('auth', 'the API key was rejected', { hint });
      }
      if (status === 403)
        return failure('auth', 'the API key does not permit this request', { hint: whichKey(key) });
      const requested = requestedWait(answer);
      // What became of a write that is answered 503 is unknown, whatever it tells to wait.
      if (status === 429 || (requested !== undefined && !writes)) {
        const wait = requested ?? 1_000;
        const what = status === 429 ? exceeded(service) : 'the service is unavailable';
        const resetAt = answer.receivedAt + wait;
        return failure('rate_limited', what, { resetAt, retryAfter: Math.ceil(wait / 1_000) });
      }
      // The answer to a request that was carried out may be there (RFC 9110, section 15.4.4); many say so with a 302.
      if ((status === 302 || status === 303) && writes) {
        const [where = 'elsewhere'] = headerValues(answer.headers, 'location');
        return unknown(`the service redirects to ${where} (${status})`, { service });
      }
      if (status >= 300 && status < 400) return moved(answer, details);
      if (status >= 500 || status === 408 || status < 300) {
        return unknown(said(failed(status), service), { service });
      }
      // With an Error of its own the service says which id does not exist, unless the version is missing or in the path twice.
      const isError = service.code !== undefined && service.message !== undefined;
      const isLost =
        status === 404 && (!isError || !namesOne || !hasVersion || /^\/v\d/.test(path));
      const hint = isLost ? whereItLooked : undefined;
      return failure('refused', 'the service refused the request', { hint });
    },

    /** The failure for a promised status whose body cannot be used. */
    unreadable(failure: Failure): Failure {
      return writes ? unknown(failure.message) : failure;
    },

    /** The failure for no whole answer at all. */
    undelivered({ message, sent, details }: Undelivered): Failure {
      const { kind = 'network', hint, cause } = details;
      if (writes && sent) return unknown(message, { cause });
      return new Failure(kind, message, { hint, cause, ...became('not_sent') });
    },

    /** The failure for a run that was interrupted; `sent` as in Undelivered. */
    interrupted(signal: AbortSignal, sent: boolean): Failure {
      if (!writes) return interruptedFailure(signal, {});
      const outcome = sent ? 'unknown' : 'not_sent';
      return interruptedFailure(signal, {
        ...became(outcome),
        ...(sent && { hint: words.look }),
      });
    },
  };
}

/** What is said here is also written down; output alone would cut the key out too late. */
function withoutKey({ status, code, message }: ServiceError, { value }: ApiKey): ServiceError {
  const forms = formsOf(value);
  return {
    status,
    ...(code !== undefined && { code: cutOut(code, forms) }),
    ...(message !== undefined && { message: cutOut(message, forms) }),
  };
}

/** The service's own words after ours: "… (400 invalid_name): name is required". */
function said(ours: string, { code, message, status }: ServiceError): string {
  const label = [status, code].filter(Boolean).join(' ');
  return `${ours} (${label})${message ? `: ${message}` : ''}`;
}

function exceeded(service: ServiceError): string {
  return saysBanned(service) ? 'your API key is temporarily banned' : 'rate limit exceeded';
}

function failed(status: number): string {
  if (status === 408) return 'the service timed out waiting for the request';
  return status >= 500 && status < 600 ? 'server error' : 'unexpected response';
}

function moved(answer: Answer, details: FailureDetails): Failure {
  const [where = 'elsewhere'] = headerValues(answer.headers, 'location');
  return new Failure('service', `the service redirects to ${where} (${answer.status})`, {
    ...details,
    hint: 'Redirects are not followed. If you trust that URL: petstore config set base-url URL',
  });
}
