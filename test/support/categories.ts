import { type Category, exact } from './values.ts';

/** Returns a category of the sandbox's state. */
export function category(id: string, name: string, description?: string): Category {
  return { id: exact(id), name, ...(description !== undefined && { description }) };
}
