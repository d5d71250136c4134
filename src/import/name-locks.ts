import { hash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { withLock } from '../disk/lock.ts';
import { longestMark, type Mark, parseMark } from '../disk/mark.ts';
import { holdMark, isAlive, removeMark } from '../disk/mark-file.ts';
import { writeBrief } from '../disk/new-file.ts';
import { readOwn } from '../disk/open-file.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { looseKey } from './content.ts';

/** What is to be held: names at one service, and the file that they come from. */
export type Names = {
  readonly address: string;
  readonly names: readonly string[];
  readonly path?: string | undefined;
  readonly doing: 'creating' | 'importing';
};

type NameMark = Mark & Pick<Names, 'doing'>;

/** The process that has one of the names, and the file that says so. */
export type NameHolder = { readonly mark: NameMark; readonly file: string };

/** `release` never throws. */
export type NameLock = { readonly release: () => void };

/** More names no input has, in bytes. */
const longestFile = 512 * 1024 * 1024;

type World = Pick<Context, 'owner' | 'isRunning' | 'now' | 'sleep' | 'signal' | 'uid'>;

/**
 * Takes names for as long as this process lives, all or none: each holder has a file in `folder`, and one lock for each service
 * makes looking at those of others and writing ours one step. What a process left that has ended holds nothing.
 * @throws Failure (output) when the disk does not take it
 */
export async function tryLockNames(
  context: World,
  folder: string,
  wanted: Names,
): Promise<NameLock | NameHolder> {
  saving(folder, () => securePrivateFolder(folder, context.uid));
  const scope = hashOf(wanted.address);
  const keys = keysOf(wanted);
  return withLock(context, join(folder, `${scope}.lock`), () => {
    const file = join(folder, `${scope}.${randomUUID()}`);
    try {
      const holder = findHolder(context, folder, scope, new Set(keys));
      if (holder) return holder;
      const mark: NameMark = { ...context.owner, since: context.now(), doing: wanted.doing };
      writeBrief(file, [JSON.stringify(mark), ...keys].join('\n'));
      return holdMark(file);
    } catch (error) {
      removeMark(file);
      throw cannotSave(file, error);
    }
  });
}

/** Whether a holder that was found has its names still. */
export function isStillHeld(context: World, { mark, file }: NameHolder): boolean {
  return existsSync(file) && isAlive(context, mark, file);
}

function findHolder(
  context: World,
  folder: string,
  scope: string,
  wanted: ReadonlySet<string>,
): NameHolder | undefined {
  const form = /^[0-9a-f]+\.[0-9a-f-]{36}$/;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${scope}.`) || !form.test(name)) continue;
    const file = join(folder, name);
    // Torn, its writer had the lock and has ended.
    const mark = parseMark(linesOf(file, longestMark)[0] ?? '') as NameMark | undefined;
    if (!mark || !isAlive(context, mark, file)) removeMark(file);
    else if (keysIn(file).some((key) => wanted.has(key))) return { mark, file };
  }
  return undefined;
}

function keysIn(file: string): string[] {
  return linesOf(file, longestFile).slice(1);
}

/** None when it was released meanwhile. */
function linesOf(file: string, most: number): string[] {
  return readOwn(file, most)?.toString().split('\n') ?? [];
}

/** Names that a service might take for the same one have the same key. */
function keysOf({ names, path }: Names): string[] {
  const keys = new Set(names.map((name) => hashOf(`name ${looseKey(name)}`)));
  if (path !== undefined) keys.add(hashOf(`file ${path}`));
  return [...keys];
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}
