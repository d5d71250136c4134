import { Failure, usageFailure } from '../../errors.ts';
import { categoryColumns } from '../../fields.ts';
import { foldName } from '../../import/fates.ts';
import type { Category } from '../../service/resources.ts';
import type { Session } from '../../session/session.ts';
import { quoted } from '../../text/quote.ts';
import type { Verb } from '../verb.ts';

const maxIds = 20;

export const get: Verb = {
  description:
    'Show one category, found by its id or its exact name in the list of all categories (one request). Exits 3 when there is none, and 2 when more than one has this id or name.',
  takes: [['<id|name>', 'id or exact name of the category']],
  examples: [
    'petstore categories get dog',
    'petstore categories get 3 --json',
    'petstore categories get dog --query id -o raw',
  ],
  run: getCategory,
};

async function getCategory(session: Session, idOrName: string): Promise<void> {
  const { output } = session;
  output.checkColumns(categoryColumns);
  if (idOrName.trim() === '') {
    throw usageFailure('invalid id or name: must not be blank', 'See: petstore categories list');
  }
  const client = await session.client();
  const fold = foldName(idOrName);
  const plainId = fold.replace(/^(-?)0*(?=\d)/, '$1');
  const isLike = ({ id, name }: Category) => String(id) === plainId || foldName(name) === fold;
  let category: Category | undefined;
  let lookAlike: Category | undefined;
  const ids: string[] = [];
  // Batch by batch, so that memory does not grow with the list.
  for await (const batch of await client.listCategories({ decides: true })) {
    for (const candidate of batch) {
      if (String(candidate.id) === idOrName || candidate.name === idOrName) {
        category ??= candidate;
        ids.push(String(candidate.id));
      } else if (!category && isLike(candidate)) {
        lookAlike ??= candidate;
      }
    }
  }

  if (!category) {
    const found = lookAlike ? `; ${quoted(lookAlike.name)} (id ${lookAlike.id}) looks like it` : '';
    const next = lookAlike ? `get ${lookAlike.id}` : 'list --search TEXT';
    const message = `category ${quoted(idOrName)} not found${found}`;
    throw new Failure('refused', message, { hint: `See: petstore categories ${next}` });
  }
  if (ids.length > 1) {
    const shown = ids.length > maxIds ? [...ids.slice(0, maxIds), '…'] : ids;
    const message = `"${idOrName}" is ambiguous: ids ${shown.join(', ')}`;
    // The id that was asked for would be just as ambiguous.
    const id = ids.find((id) => id !== idOrName);
    const next = id === undefined ? 'list' : `get ${id}`;
    throw new Failure('usage', message, { hint: `See: petstore categories ${next}` });
  }
  await output.print({ record: category, columns: categoryColumns });
}
