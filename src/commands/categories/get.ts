import type { Command } from 'commander';
import { listCategories } from '../../api/endpoints.ts';
import type { Category } from '../../api/resources.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { isInt64 } from '../../json/json.ts';
import type { App } from '../../session/app.ts';
import { profileFlag } from '../../session/profile.ts';
import { type Session, withSession } from '../../session/session.ts';
import { nearest } from '../../text/nearest.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { shellWord } from '../../text/shell.ts';
import { addExamples } from '../help.ts';
import { categoryColumns } from './columns.ts';

/** Ids in the message for a name that several categories have. */
const maxIds = 20;
/** In characters. The edit distance of longer names takes too long to compute. */
const maxSimilarLength = 200;
/** Short words of letters alone: generated keys have digits, or capitals in their midst. */
const plainWords = /^\p{L}\p{Ll}{0,14}(?:[ '-]\p{L}\p{Ll}{0,14})*$/u;

export function define(command: Command, app: App): void {
  addExamples(command, [
    'petstore categories get dog',
    'petstore categories get 3 --json',
    'petstore categories get dog --query id -o raw',
  ]);
  command
    .description(
      'Show one category, found by its id or its exact name in the list of all categories (one request). Exits 3 when ' +
        'there is none, and 2 when more than one has this id or name.',
    )
    .argument('<id|name>', 'id or exact name of the category')
    .action((idOrName: string) =>
      withSession(app, command, (session) => getCategory(session, idOrName)),
    );
}

async function getCategory(session: Session, idOrName: string): Promise<void> {
  const { output, profile } = session;
  output.checkColumns(categoryColumns);
  if (idOrName.trim() === '') {
    throw usageFailure('invalid id or name: must not be blank', 'petstore categories list');
  }
  const client = await session.client();
  const found = await findMatches(await client.list(listCategories), idOrName);

  const flag = profileFlag(profile);
  if (!found.category) throw notFound(idOrName, found.similar, flag);
  if (found.count > 1) throw ambiguous(idOrName, found, flag);
  await output.print({ data: found.category, columns: categoryColumns });
}

type Found = {
  /** The first match. */
  category: Category | undefined;
  count: number;
  /** The ids of the first matches. */
  readonly ids: string[];
  /** Without a match, the nearest name that can be a word of a command. */
  similar: string | undefined;
};

/** Searches batch by batch, so that memory does not grow with the list. */
async function findMatches(
  batches: AsyncIterable<readonly Category[]>,
  idOrName: string,
): Promise<Found> {
  const found: Found = { category: undefined, count: 0, ids: [], similar: undefined };
  for await (const batch of batches) {
    for (const category of batch) {
      // Ids are valid here, and an int64 has only one text.
      if (category.id.text !== idOrName && category.name !== idOrName) continue;
      found.category ??= category;
      found.count += 1;
      if (found.ids.length < maxIds) found.ids.push(category.id.text);
    }
    if (found.count > 0 || idOrName.length > maxSimilarLength) continue;
    const names = batch.map(({ name }) => name).filter((name) => name.length <= maxSimilarLength);
    if (found.similar !== undefined) names.unshift(found.similar);
    found.similar = nearest(idOrName, names, (name) => shellWord(name) !== undefined);
  }
  return found;
}

function notFound(idOrName: string, similar: string | undefined, flag: string): Failure {
  const suggestion = similar && shellWord(similar);
  // It may be an API key in the wrong place: quote it only if it is clearly a name.
  const isName = suggestion !== undefined || plainWords.test(idOrName);
  const quoted = isName ? ` "${idOrName}"` : quotedUnlessKey(idOrName);
  const text = (quoted && shellWord(idOrName)) || 'TEXT';
  const list = `petstore categories list${isInt64(idOrName) ? '' : ` --search ${text}`}${flag}`;
  const hint = suggestion ? `Did you mean petstore categories get ${suggestion}${flag}?` : list;
  return new Failure('refused', `category${quoted} not found`, { hint });
}

function ambiguous(idOrName: string, { ids, count }: Found, flag: string): Failure {
  const more = count > ids.length ? ` and ${count - ids.length} more` : '';
  // The id that was asked for would be just as ambiguous.
  const id = ids.find((id) => id !== idOrName);
  const next = id === undefined ? 'petstore categories list' : `petstore categories get ${id}`;
  const message = `"${idOrName}" is ambiguous: ids ${ids.join(', ')}${more}`;
  return new Failure('usage', message, { hint: next + flag });
}
