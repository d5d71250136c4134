import { listCategories } from '../../api/endpoints.ts';
import type { RateLimit } from '../../api/exchange.ts';
import { Failure, type FailureKind } from '../../errors.ts';
import { notice } from '../../events.ts';
import type { Service } from '../../session/account.ts';
import { isUtf8 } from '../../session/host.ts';
import { labelOf, profileFlag } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { parseBaseUrl } from '../../settings/base-url.ts';
import { parseKey } from '../../settings/keys.ts';

/** How often a question is asked before an invalid answer is an error. */
const mostTries = 3;

/** Asks for the base URL of the profile. @throws Failure (config), Interruption */
export function askBaseUrl(session: Session): Promise<string> {
  const { host, profile } = session;
  const question = `Base URL for ${labelOf(profile)} (https://HOST/v1)`;
  return askUntilValid(session, {
    ask: async () => (await host.context.askLine(question)).trim(),
    check: (text) => void parseBaseUrl(text),
  });
}

/** Asks for an API key, which no output shows from then on. @throws Failure (config), Interruption */
export function askKey(session: Session, origin: string): Promise<string> {
  const { context, sink } = session.host;
  return askUntilValid(session, {
    async ask() {
      const text = (await context.askSecret(`API key for ${origin}`)).trim();
      sink.hide(text);
      return text;
    },
    check: (text) => void parseKey(text),
  });
}

type Question = {
  readonly ask: () => Promise<string>;
  /** @throws Failure that says why an answer is invalid */
  readonly check: (text: string) => void;
};

async function askUntilValid({ report }: Session, { ask, check }: Question): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const text = await ask();
    try {
      check(text);
      return text;
    } catch (error) {
      if (!(error instanceof Failure) || tries === mostTries) throw error;
      notice(report, error.message);
    }
  }
}

/** Failures that say nothing of the key: it is stored all the same. */
const unrelated: readonly FailureKind[] = ['network', 'service', 'rate_limited', 'refused'];

/**
 * Spends one request to see whether the service accepts a key, and returns what to say of it.
 * @throws Failure (auth) when the service rejects the key
 */
export async function verifyKey(session: Session, service: Service): Promise<readonly string[]> {
  const { host, profile } = session;
  let limit: RateLimit | undefined;
  const client = await session.connectAs(service, (heard) => {
    limit = heard;
  });
  try {
    await client.call(listCategories, {});
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (unrelated.includes(error.kind)) {
      const flag = profileFlag(profile);
      return [
        `the key could not be verified: ${error.message}`,
        `to verify it later: petstore auth status --check${flag}`,
        `to correct the base URL: petstore config set base-url URL${flag}`,
      ];
    }
    const again = `petstore auth login${profileFlag(profile)}`;
    const hint =
      error.kind === 'auth' ? `Check the key and try again: ${again}` : error.details.hint;
    throw error.with({ consequence: 'The key was not stored.', hint });
  }
  const mark = isUtf8(host.context.env) ? '✔ ' : '';
  const left = limit ? `. rate limit: ${limit.remaining} of ${limit.limit} left` : '';
  return [`${mark}Key accepted${left}`];
}
