import type { Client } from '../../api/client.ts';
import { listCategories } from '../../api/endpoints.ts';
import type { Category } from '../../api/resources.ts';
import { Failure } from '../../errors.ts';
import { settle } from '../../import/settle.ts';
import type { Session } from '../../session/session.ts';

/** How long the service may take over a request that broke off, in ms; an import's --settle has the same default. */
const settleTime = 60_000;

/**
 * Looks what became of a create whose outcome is unknown, and returns the category when it surely is the one.
 * @param wasMissing whether none of that name was there just before
 * @throws Failure (outcome_unknown) that says what the service shows
 */
export async function lookForCreated(
  { host: { context }, report }: Session,
  client: Client,
  name: string,
  wasMissing: boolean,
  failure: Failure,
): Promise<Category> {
  const seconds = `${settleTime / 1_000} s`;
  const message = `${failure.message}; it may have been created, which a list in ${seconds} will show`;
  report({ event: 'notice', message });
  const found = await settle(context, settleTime, 1, report)
    .then(() => client.call(listCategories, {}))
    .then((list) => list.filter((category) => category.name === name))
    .catch(() => {
      // Interrupted, or the service does not answer: nothing more is known than before.
      throw failure;
    });
  const [category] = found;
  if (category && wasMissing && found.length === 1) return category;
  const details = category ? tellingOf(found, wasMissing) : missing(seconds);
  throw new Failure(failure.kind, failure.message, { ...failure.details, ...details });
}

function tellingOf(found: readonly Category[], wasMissing: boolean) {
  const ids = found.map(({ id }) => id.text).join(', ');
  return {
    consequence: wasMissing
      ? `It may have been created: of this name there are now the ids ${ids}.`
      : `It may have been created: of this name there is id ${ids}, by this call or by another.`,
    hint: 'Look at it before you create it again: petstore categories list',
  };
}

function missing(seconds: string) {
  return {
    consequence: `${seconds} later no category of this name is there: most likely it was not created.`,
    hint: 'Create it again, if it is still missing then, with --if-missing.',
  };
}
