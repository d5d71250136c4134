import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { isTemporary, withoutMark } from './temporary.ts';

/** A name that something of ours has in a folder; what has a name in `inside` is ours in it. */
export type Known<Kind extends string> = {
  readonly name: RegExp;
  readonly kind: Kind;
  readonly what: (name: string) => string;
  /** A folder without it is one thing. */
  readonly isFolder?: boolean;
  readonly inside?: readonly Known<Kind>[];
  /** It has only names of temporary files. */
  readonly isBrief?: boolean;
};

/** Something in a folder of ours; of an unknown kind where it has no name of ours. */
export type Found<Kind extends string> = {
  readonly path: string;
  readonly kind: Kind | 'temporary' | 'unknown';
  readonly what: string;
  /** Of a regular file. */
  readonly bytes?: number | undefined;
  readonly isLink?: boolean;
};

/**
 * All that is in a folder by name, each folder before what is in it; none of a folder that does not exist. No link is followed,
 * and nothing is looked into that has no name of ours.
 * @throws Failure (output) when a folder cannot be listed
 */
export function* inventory<Kind extends string>(
  folder: string,
  known: readonly Known<Kind>[],
): Generator<Found<Kind>> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // Gone since.
    if (!stats) continue;
    const entry = known.find((entry) => entry.name.test(withoutMark(name)));
    const found = { path, isLink: stats.isSymbolicLink(), bytes: sizeOf(stats) };
    if (entry && isTemporary(name)) {
      yield { ...found, kind: 'temporary', what: 'left by a process that was killed' };
    } else if (entry && !entry.isBrief && isOfKind(entry, stats)) {
      yield { ...found, kind: entry.kind, what: entry.what(name) };
      if (entry.inside && stats.isDirectory()) yield* inventory(path, entry.inside);
    } else {
      yield { ...found, kind: 'unknown', what: 'not a file of petstore' };
    }
  }
}

function isOfKind<Kind extends string>(
  { isFolder = false, inside }: Known<Kind>,
  stats: Stats,
): boolean {
  if (stats.isSymbolicLink()) return true;
  return isFolder || inside ? stats.isDirectory() : stats.isFile();
}

function sizeOf(stats: Stats): number | undefined {
  return stats.isFile() ? stats.size : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    throw new Failure('output', `cannot list ${folder} (${systemCode(error)})`, { cause: error });
  }
}
