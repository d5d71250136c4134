import type { Command } from 'commander';
import { listCategories } from '../../api/endpoints.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { isInt64 } from '../../json/json.ts';
import type { App } from '../../session/app.ts';
import { profileFlag } from '../../session/profile.ts';
import { withSession } from '../../session/session.ts';
import { quotedUnlessKey } from '../../text/secret.ts';
import { shellWord } from '../../text/shell.ts';
import { addExamples } from '../help.ts';
import { categoryColumns } from './columns.ts';
import { type Found, findCategory } from './find.ts';

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
    .action(async (word: string) =>
      withSession(app, command, async (session) => {
        const { output, profile } = session;
        output.checkColumns(categoryColumns);
        if (word.trim() === '') {
          throw usageFailure('invalid id or name: must not be blank', 'petstore categories list');
        }
        const client = await session.client();

        const found = await findCategory(await client.list(listCategories), word);
        const flag = profileFlag(profile);
        if (!found.category) throw notFound(word, found, flag);
        if (found.count > 1) throw ambiguous(word, found, flag);
        await output.print({ data: found.category, columns: categoryColumns });
      }),
    );
}

const get = 'petstore categories get';

/** Short words of letters alone: generated keys have digits, or capitals in their midst. */
const words = /^\p{L}\p{Ll}{0,14}(?:[ '-]\p{L}\p{Ll}{0,14})*$/u;

/** @param flag what a command of the hint needs to ask the same profile */
function notFound(word: string, { similar }: Found, flag: string): Failure {
  const meant = similar && shellWord(similar);
  // What is almost a name, or consists of ordinary words, is no key.
  const isName = meant !== undefined || words.test(word);
  const named = isName ? ` "${word}"` : quotedUnlessKey(word);
  const hint =
    meant === undefined ? search(word, named) + flag : `Did you mean ${get} ${meant}${flag}?`;
  return new Failure('refused', `category${named} not found`, { hint });
}

/** The command that may find it; a word that is not to be said is left to the user. */
function search(word: string, named: string): string {
  if (isInt64(word)) return 'petstore categories list';
  const text = named === '' ? undefined : shellWord(word);
  return `petstore categories list --search ${text ?? 'TEXT'}`;
}

function ambiguous(word: string, { ids, count }: Found, flag: string): Failure {
  const more = count > ids.length ? ` and ${count - ids.length} more` : '';
  // The id that is the word itself is as ambiguous.
  const id = ids.find((id) => id !== word);
  const hint = (id === undefined ? 'petstore categories list' : `${get} ${id}`) + flag;
  return new Failure('usage', `"${word}" is ambiguous: ids ${ids.join(', ')}${more}`, { hint });
}
