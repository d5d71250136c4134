import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireAnswer, WireRequest } from '../../src/context.ts';
import { networkError, type Reaction } from './petstore.ts';
import { stateFiles } from './state-files.ts';

/** A file of three new categories. */
export const three = 'name,description\ndog,Barks\ncat,\nemu,Runs\n';
export const apply = ['--yes', '--json'];

/** Writes the file to be imported, and returns its path. */
export function put(folder: string, text: string, name = 'pets.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Finds what imports of `pets.csv` keep in the state folder: the files that name it. */
export function journals(folder: string): string[] {
  return stateFilesAbout(folder, 'pets.csv');
}

/** Returns the files of a test's state folder that contain a text, such as the name of the file that is imported. */
export function stateFilesAbout(folder: string, part: string): string[] {
  return stateFiles(folder)
    .filter(({ text }) => text.includes(part))
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
