import * as z from 'zod/mini';
import { usageFailure } from '../errors.ts';
import { isJsonObject, type Json } from '../json/json.ts';
import type { Method } from '../request/exchange.ts';
import { quoted } from '../text/quote.ts';
import { Category } from './resources.ts';

export type Endpoint<Data = unknown> = {
  readonly method: Method;
  /** What users are told. */
  readonly path: string;
  /** What is requested, if `path` has parameters. */
  readonly target?: string;
  readonly status: 200 | 201 | 'any 2xx';
  readonly data: z.ZodMiniType;
  /** Is never set: it tells the compiler what `data` lets through. */
  readonly type?: Data;
  readonly expects: string;
  readonly maxBytes: number;
  readonly deprecated?: true;
};

const MiB = 1024 * 1024;

export const listCategories: Endpoint<Category[]> = {
  method: 'GET',
  path: '/categories',
  status: 200,
  data: z.array(Category),
  expects: 'a list of categories',
  maxBytes: 96 * MiB,
};

export const createCategory: Endpoint<Category> = {
  method: 'POST',
  path: '/categories',
  status: 201,
  data: Category,
  expects: 'the created category',
  maxBytes: MiB,
};

/** The interface document shows no fields of a pet, so any JSON object is one. */
export function getPet(petId: string): Endpoint<Json> {
  return {
    method: 'GET',
    path: '/pets/{petId}',
    target: `/pets/${toSegment('pet id', petId)}`,
    status: 200,
    data: z.custom(isJsonObject, 'must be an object'),
    expects: 'a pet object',
    maxBytes: 8 * MiB,
    deprecated: true,
  };
}

/** The interface document shows neither the fields of an order nor whether orders come as a list. */
export const listOrders: Endpoint<Json> = {
  method: 'GET',
  path: '/store/orders',
  status: 200,
  data: z.custom(
    (value) => Array.isArray(value) || isJsonObject(value),
    'must be an array or an object',
  ),
  expects: 'orders (an array or an object)',
  maxBytes: 8 * MiB,
};

export function anyRequest(method: Method, path: string): Endpoint<Json | undefined> {
  return { method, path, status: 'any 2xx', data: z.unknown(), expects: 'JSON', maxBytes: 8 * MiB };
}

/** Writes a value as one segment of a path. Some would name another path. */
function toSegment(name: string, value: string): string {
  if (['', '.', '..'].includes(value)) throw usageFailure(`invalid ${name} ${quoted(value)}`);
  return encodeURIComponent(value);
}
