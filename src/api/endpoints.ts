import * as z from 'zod/mini';
import { isJsonObject, type Json } from '../json/json.ts';
import type { Method } from './method.ts';
import {
  adoptStringIds,
  Category,
  documentedFields,
  isSurelyCategory,
  NewCategory,
} from './resources.ts';

/** One operation of the service: interface document, section 4. */
export type Endpoint<Path extends string = string, Body = unknown, Data = never> = {
  readonly method: Method;
  readonly path: Path;
  /** The status of success. */
  readonly status: 200 | 201 | 'any 2xx';
  /** What the request's body must be; one that is text is JSON text already. */
  readonly body?: z.ZodMiniType<Body>;
  /** Judges the decoded answer; see findMismatch. */
  readonly data: z.ZodMiniType;
  /** What a good answer is called in a sentence. */
  readonly expects: string;
  /** Longest answer that is read, in bytes. */
  readonly maxBytes: number;
  /**
   * A long list can be had piece by piece, and one that is longer than `above` bytes as it comes. Where `above` is undefined none
   * comes so, and the data may be no list at all. `fits` accepts most elements faster than zod; `documented` leaves out the
   * fields of an element that the document does not name.
   */
  readonly pieces?: {
    readonly above?: number;
    readonly fits?: (element: Json) => boolean;
    readonly documented?: (element: Json) => Json;
  };
  readonly deprecated?: true;
  /** Brings accepted variants into the documented form, in place; returns a notice about it. */
  readonly settle?: (data: Data) => string | undefined;
};

/** The names in braces of a path: '/pets/{petId}' has { petId: string }. */
export type PathParameters<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}`
    ? { readonly [Key in Name | keyof PathParameters<Rest>]: string }
    : unknown;

const MiB = 1024 * 1024;
const stringIdNotice = 'the service sends ids as strings; they are shown as integers';

export const listCategories: Endpoint<'/categories', undefined, Category[]> = {
  method: 'GET',
  path: '/categories',
  status: 200,
  data: z.array(Category),
  expects: 'a list of categories',
  maxBytes: 96 * MiB,
  pieces: { above: 8 * MiB, fits: isSurelyCategory, documented: documentedFields },
  settle: (categories) => (adoptStringIds(categories) ? stringIdNotice : undefined),
};

/** The same, all of which is read before any of it is handed on. */
export const wholeList: Endpoint<'/categories', undefined, Category[]> = {
  ...listCategories,
  pieces: {},
};

export const createCategory: Endpoint<'/categories', NewCategory, Category> = {
  method: 'POST',
  path: '/categories',
  status: 201,
  body: NewCategory,
  data: Category,
  expects: 'the created category',
  maxBytes: MiB,
  settle: (category) => (adoptStringIds([category]) ? stringIdNotice : undefined),
};

/** The interface document shows no fields of a pet, so any JSON object is one. */
export const getPet: Endpoint<'/pets/{petId}', undefined, Json> = {
  method: 'GET',
  path: '/pets/{petId}',
  status: 200,
  data: z.custom(isJsonObject, 'must be an object'),
  expects: 'a pet object',
  maxBytes: 8 * MiB,
  deprecated: true,
};

/** The interface document shows neither the fields of an order nor whether orders come as a list. */
export const listOrders: Endpoint<'/store/orders', undefined, Json> = {
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

/**
 * Any request below the base URL; `path` is percent-encoded and may have a query. The interface document shows nothing of
 * it, so that every 2xx is a success, with any JSON or, where HTTP has no content, without data.
 */
export function anyRequest(
  method: Method,
  path: string,
): Endpoint<string, string | undefined, Json | undefined> {
  return {
    method,
    path,
    status: 'any 2xx',
    data: z.unknown(),
    expects: 'JSON',
    maxBytes: 8 * MiB,
  };
}
