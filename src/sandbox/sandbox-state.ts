import * as z from 'zod/mini';
import { findMismatch } from '../json/check.ts';
import { isJsonObject, type Json, toInteger } from '../json/json.ts';
import { Category } from '../service/resources.ts';
import { type Plan, plans, Quota } from './quota.ts';

export type SandboxState = {
  plan: Plan;
  readonly quota: Quota;
  readonly categories: Category[];
  lastId: bigint;
  readonly pets: readonly Json[];
  readonly orders: readonly Json[];
};

const sample = {
  categories: [
    { id: 1, name: 'dog', description: 'Loyal, loud and always hungry' },
    { id: 2, name: 'cat', description: 'Lives with you on its own terms' },
    { id: 3, name: 'rabbit', description: 'Quiet, quick and fond of cables' },
  ],
  // The interface document shows no fields of pets and orders.
  pets: [
    { id: 1, name: 'Bello', category: 'dog', status: 'available' },
    { id: 2, name: 'Minka', category: 'cat', status: 'sold' },
    { id: 9007199254740993n, name: 'Klopfer', category: 'rabbit', status: 'available' },
  ],
  orders: [
    { id: 1, petId: 2, quantity: 1, complete: true },
    { id: 2, petId: 9007199254740993n, quantity: 2, complete: false },
  ],
};

const Data = z.strictObject({
  categories: z.optional(z.array(z.partial(Category, { id: true }))),
  pets: z.optional(z.array(z.unknown())),
  orders: z.optional(z.array(z.unknown())),
});

const maxLastId = 2n ** 62n;

/** Creates a sandbox with the sample data, or with that of a data file. Throws an Error whose message says what does not fit. */
export function createState(json: Json = {}, plan: Plan = plans.free): SandboxState {
  const data = isJsonObject(json) ? json : { categories: json };
  const mismatch = findMismatch(Data, data);
  if (mismatch) throw new Error(mismatch.words);
  const { categories, pets, orders } = { ...sample, ...(data as Partial<typeof sample>) };
  const numbered: Category[] = categories.filter(({ id }) => id !== undefined);
  const ids = numbered.map(({ id }) => BigInt(id));
  if (new Set(ids).size < ids.length) throw new Error('duplicate category id');

  // Behind the highest id of int64 the sandbox would have no further one.
  const lastId = ids.reduce((last, id) => (id > last && id < maxLastId ? id : last), 0n);
  const state = { plan, quota: new Quota(), categories: numbered, lastId, pets, orders };
  for (const category of categories) {
    if (category.id === undefined) addCategory(state, category);
  }
  return state;
}

export function takeSnapshot({ quota, lastId, categories }: SandboxState) {
  const withTexts = categories.map((category) => ({ ...category, id: String(category.id) }));
  return { quota: { ...quota }, lastId: String(lastId), categories: withTexts };
}

export function restore(state: SandboxState, snapshot: ReturnType<typeof takeSnapshot>): void {
  Object.assign(state.quota, snapshot.quota);
  state.lastId = BigInt(snapshot.lastId);
  state.categories.length = 0;
  for (const category of snapshot.categories) {
    state.categories.push({ ...category, id: toInteger(BigInt(category.id)) });
  }
}

export function addCategory(state: SandboxState, fields: { readonly name: string }): Category {
  state.lastId += 1n;
  const category: Category = { id: toInteger(state.lastId), ...fields };
  state.categories.push(category);
  return category;
}
