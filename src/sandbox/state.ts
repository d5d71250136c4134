import * as z from 'zod/mini';
import { adoptStringIds, Category } from '../api/resources.ts';
import { findMismatch } from '../json/check.ts';
import { ExactNumber, isJsonObject, type Json } from '../json/json.ts';
import { freshQuota, type Quota } from './quota.ts';
import { sampleCategories, sampleOrders, samplePets } from './sample.ts';

/** All that the sandbox remembers; it changes in place. */
export type SandboxState = {
  readonly categories: Category[];
  readonly pets: readonly Json[];
  readonly orders: readonly Json[];
  quota: Quota;
  /** Highest id so far. */
  lastId: bigint;
};

export function sampleState(): SandboxState {
  return stateOf(sampleCategories, samplePets, sampleOrders);
}

function stateOf(
  categories: readonly Category[],
  pets: readonly Json[],
  orders: readonly Json[],
): SandboxState {
  let lastId = 0n;
  for (const id of categories.map(({ id }) => BigInt(id.text))) if (id > lastId) lastId = id;
  return { categories: [...categories], pets, orders, quota: freshQuota, lastId };
}

const maxId = 2n ** 63n - 1n;

/** Adds a category with an id that no other one has. */
export function addCategory(
  state: SandboxState,
  fields: Omit<Category, 'id'> & { readonly name: string },
): Category {
  const category: Category = { id: new ExactNumber(String(nextId(state))), ...fields };
  state.categories.push(category);
  return category;
}

function nextId(state: SandboxState): bigint {
  if (state.lastId < maxId) {
    state.lastId += 1n;
    return state.lastId;
  }
  // The highest id is taken, by a data file that wants to see it: the lowest free one then.
  const ids = new Set(state.categories.map(({ id }) => BigInt(id.text)));
  let id = 1n;
  while (ids.has(id)) id += 1n;
  return id;
}

const Data = z.strictObject({
  categories: z.optional(z.array(z.partial(Category, { id: true }))),
  pets: z.optional(z.array(z.unknown())),
  orders: z.optional(z.array(z.unknown())),
});

/**
 * The state that a data file asks for: a list of categories, or an object with any of `categories`, `pets`, `orders`.
 * What it leaves out is the sample's; categories without an id get one.
 * @throws Error whose message says what does not fit
 */
export function stateFromData(json: Json): SandboxState {
  const data = isJsonObject(json) ? json : { categories: json };
  const mismatch = findMismatch(Data, data);
  if (mismatch) throw new Error(mismatch);
  const {
    categories = sampleCategories,
    pets = samplePets,
    orders = sampleOrders,
  } = data as Partial<SandboxState>;
  const numbered = categories.filter(({ id }) => id !== undefined);
  adoptStringIds(numbered);
  const ids = new Set(numbered.map(({ id }) => id.text));
  if (ids.size < numbered.length) throw new Error('duplicate category id');

  const state = stateOf(numbered, pets, orders);
  for (const category of categories) if (category.id === undefined) addCategory(state, category);
  return state;
}
