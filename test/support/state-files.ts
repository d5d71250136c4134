import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './promises.ts';

/** A file of the state folder; each byte is one character of its text. */
type StateFile = { readonly path: string; readonly text: string };

/** Lists all files below the state folder of a test, at any depth. */
export function stateFiles(folder: string): StateFile[] {
  const state = join(folder, 'state');
  if (!existsSync(state)) return [];
  return filesBelow(state)
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }));
}
