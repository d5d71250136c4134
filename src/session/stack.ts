import { type Client, createClient } from '../api/client.ts';
import type { RateLimit, SendRequest } from '../api/exchange.ts';
import { describeKey } from '../api/outcome.ts';
import { retry } from '../api/retry.ts';
import { sendOnce } from '../api/send.ts';
import { trace } from '../api/trace.ts';
import { notice } from '../events.ts';
import { gate } from '../pacing/gate.ts';
import type { SharedLog } from '../pacing/log.ts';
import { version } from '../version.ts';
import type { Service } from './account.ts';
import { chooseProxy } from './address.ts';
import { labelOf } from './profile.ts';
import { chooseMaxWait, chooseTimeout, type Setup } from './setting.ts';

/** Which service, and which log its limit is kept in, once they are needed. */
type Ends = {
  readonly service: () => Promise<Service>;
  readonly limit: () => Promise<SharedLog>;
  /** Whether each request is sent only once, whatever becomes of it. */
  readonly once?: boolean;
};

/** What is called for each request of a session. */
export type Listeners = {
  readonly onSent: () => void;
  /** Given what a response says about the limit. */
  readonly onRateLimit: (rateLimit: RateLimit) => void;
};

/** The client for the profile's service. @throws Failure when no address or key is set */
export async function openClient(
  setup: Setup,
  { service, limit, once }: Ends,
  listeners: Listeners,
): Promise<Client> {
  const { host, options, profile, report } = setup;
  const { context } = host;
  const [maxWait, timeout] = [chooseMaxWait(setup), chooseTimeout(setup)];
  const { baseUrl, key } = await service();

  if (context.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    notice(report, 'NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are always verified');
  }
  const { verbose } = options;
  const say = (message: string) => verbose && notice(report, message);
  say(`${labelOf(profile)}: ${baseUrl.href}`);
  say(describeKey(key));
  const proxy = await chooseProxy(host, baseUrl, say);
  const once_ = sendOnce(context, timeout, proxy);
  const traced = verbose ? trace(once_, context, report, host.sink.redact) : once_;
  const log = await limit();
  const paced = gate(listen(traced, listeners), context, { log, report, timeout });
  const send = once ? paced : retry(paced, context, report);

  const userAgent = `petstore/${version}`;
  return createClient({ context, send, baseUrl, key, maxWaitMs: maxWait, userAgent, report });
}

function listen(next: SendRequest, { onSent, onRateLimit }: Listeners): SendRequest {
  return async (request) => {
    const answer = await next({ ...request, onSent });
    if (answer.limits.rateLimit) onRateLimit(answer.limits.rateLimit);
    return answer;
  };
}
