import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireAnswer, WireRequest } from '../../src/context.ts';
import { networkError, type Reaction } from './petstore.ts';

/** A file of three new categories. */
export const three = 'name,description\ndog,Barks\ncat,\nemu,Runs\n';
export const apply = ['--yes', '--json'];

/** Writes the file to be imported, and returns its path. */
export function put(folder: string, text: string, name = 'pets.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The journals of a test's state folder. */
export function journals(folder: string): string[] {
  const imports = join(folder, 'state', 'imports');
  const names = readdirSync(imports).filter((name) => name.endsWith('.journal'));
  return names.map((name) => join(imports, name));
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

export const cutBefore: Reaction = async (request) => {
  request.onSent();
  throw networkError('ECONNRESET');
};
export const cutAfter = async (_request: WireRequest, forward: () => Promise<WireAnswer>) => {
  for await (const _ of (await forward()).body);
  throw networkError('ECONNRESET');
};
