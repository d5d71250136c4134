import { readCategories } from '../../../api/client.ts';
import type { Category } from '../../../api/resources.ts';
import { looseKey } from '../../../import/content.ts';
import { emptyState } from '../../../import/journal-state.ts';
import { dropSimilar, makePlan, type Plan } from '../../../import/plan.ts';
import type { Row } from '../../../import/read/rows.ts';
import type { Session } from '../../../session/session.ts';

/** What an import of the rows would find. */
export type Comparison = {
  readonly plan: Plan;
  /** Categories of the service by id that rows of the file have the name of. */
  readonly found: ReadonlyMap<string, Category>;
  /** Those whose name no row has. */
  readonly others: readonly Category[];
};

/** Compares the rows with the list of the service, which takes one request. @throws Failure */
export async function compare(session: Session, rows: readonly Row[]): Promise<Comparison> {
  const names = new Set(rows.map(({ name }) => name));
  const looseNames = new Set(rows.map(({ name }) => looseKey(name)));
  /** As much of the list as a plan looks at: it may be many times as long as the file. */
  const near: Category[] = [];
  const others: Category[] = [];
  for (const category of await readCategories(await session.client())) {
    const isNamed = names.has(category.name);
    if (!isNamed) others.push(category);
    if (isNamed || looseNames.has(looseKey(category.name))) near.push(category);
  }
  const plan = dropSimilar(makePlan('ensure', rows, near, emptyState()), ({ listed }) => listed);
  return { plan, found: new Map(near.map((category) => [category.id.text, category])), others };
}
