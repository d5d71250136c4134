import { type Client, readCategories } from '../../api/client.ts';
import type { Category } from '../../api/resources.ts';
import { pause } from '../../api/retry.ts';
import type { Failure } from '../../errors.ts';
import { notice, warn } from '../../events.ts';
import { looseKey } from '../../import/content.ts';
import { settleWait } from '../../import/lookup.ts';
import { profileFlag } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { quoted } from '../../text/quoted.ts';

/** The service may still carry out a request that was cut off. An import's --settle has the same default. */
const settleMs = 60_000;

/**
 * Searches the list for a category whose create has an unknown outcome. Returns it only if `wasMissing` excludes an older one;
 * else the failure says what the list shows.
 */
export async function findCreated(
  { context, profile, report }: Session,
  client: Client,
  name: string,
  wasMissing: boolean,
  failure: Failure,
): Promise<Category> {
  const seconds = `${settleMs / 1_000}s`;
  const notYet = `${failure.message}; it may have been created: checking the list of categories in ${seconds}`;
  warn(report, notYet);
  const { signal } = context;
  const list = await pause(context, settleMs, settleWait(1), { report, signal })
    .then(() => readCategories(client))
    .catch(() => {
      // Interrupted, or the service does not answer: nothing more is known than before.
      throw failure;
    });

  const exact = list.filter((category) => category.name === name);
  const [category] = exact;
  if (category && wasMissing && exact.length === 1) {
    notice(report, `created with id ${category.id}, as the list shows`);
    return category;
  }
  const similar = list.filter((other) => looseKey(other.name) === looseKey(name));
  const none = {
    consequence: 'It was probably not created.',
    hint: 'To retry, run the same command again with --if-missing.',
  };
  const message = `${failure.message}; ${describeList(similar, seconds)}`;
  const [first] = similar;
  const get = `petstore categories get ${first?.id}${profileFlag(profile)}`;
  throw failure.with(first ? { hint: `Look at it before you retry: ${get}` } : none, message);
}

function describeList(similar: readonly Category[], seconds: string): string {
  if (similar.length === 0) return `after ${seconds} the list shows no category with this name`;
  const found = similar.map(({ id, name }) => `${quoted(name)} with id ${id}`).join(', ');
  return `after ${seconds} the list shows ${found}, created by this request or by another one`;
}
