import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { WireAnswer, WireRequest } from '../../src/context.ts';
import {
  test as base,
  type Fixtures,
  networkError,
  type Reaction,
  type RunOptions,
} from './petstore.ts';
import { stateFiles } from './state-files.ts';

/** A file of three new categories. */
export const three = 'name,description\ndog,Barks\ncat,\nemu,Runs\n';
export const apply = ['--yes', '--json'];

export type Run = ReturnType<Fixtures['petstore']>;

/** Imports a text as `pets.csv`. */
type ImportText = (text: string, flags?: readonly string[], options?: RunOptions) => Run;

export const test = base.extend<{ importText: ImportText }>({
  importText: ({ petstore, folder }, use) =>
    use((text, flags = apply, options) =>
      petstore(['categories', 'import', put(folder, text), ...flags], options),
    ),
});

/** A terminal at which somebody answers the question. */
export const atTerminal = (confirm: (question: string) => Promise<boolean>, text = '') => ({
  columns: 100,
  context: { confirm, stdin: Object.assign(Readable.from([text]), { isTTY: true }) },
});

/** Returns a file of so many new categories: pet 0, pet 1 … */
export function pets(count: number): string {
  return ['name', ...Array.from({ length: count }, (_, n) => `pet ${n}`)].join('\n');
}

/** Writes the file to be imported, and returns its path. */
export function put(folder: string, text: string, name = 'pets.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export function namesIn({ categories }: Pick<Fixtures['sandbox'], 'categories'>): string[] {
  return categories.map(({ name }) => name).sort();
}

/** Returns the names of the creates that arrived. */
export function creates({ requests }: Fixtures['sandbox']): string[] {
  const posts = requests.filter(({ method }) => method === 'POST');
  return posts.map(({ body = '{}' }) => JSON.parse(body).name);
}

export function methods({ requests }: Fixtures['sandbox']): string {
  return requests.map(({ method }) => method).join(' ');
}

/** Returns the files of a test's state folder that tell what was created. */
export function ledgerFiles(folder: string): string[] {
  return stateFiles(folder)
    .filter(({ path }) => /[/\\]ledger[/\\]/.test(path))
    .map(({ path }) => path);
}

export const countsOf = (stdout: string) => JSON.parse(stdout).counts;

/** Reacts to the creation of one category, a number of times. */
export function reactTo(
  name: string,
  reaction: Reaction,
  times = 1,
): (request: WireRequest) => Reaction | undefined {
  let left = times;
  return ({ method, body = '' }) => {
    if (method !== 'POST' || JSON.parse(body).name !== name || left === 0) return undefined;
    left -= 1;
    return reaction instanceof Response ? reaction.clone() : reaction;
  };
}

export const cutBefore = async (request: WireRequest): Promise<never> => {
  request.onSent();
  throw networkError('ECONNRESET');
};
export const cutAfter = async (_request: WireRequest, forward: () => Promise<WireAnswer>) => {
  for await (const _ of (await forward()).body);
  throw networkError('ECONNRESET');
};
