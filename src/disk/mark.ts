import type { Owner } from './owner.ts';
import { isOwner } from './owner.ts';

/** What a process leaves in a file for as long as it has something; `since` in ms since 1970. */
export type Mark = Owner & { readonly since: number };

/** It is ours until `release` is called or this process ends, however it ends. `release` never throws. */
export type Claim = { readonly mine: true; readonly release: () => void };

/** Who has something, and since when, in ms since 1970. */
export type Holder = {
  readonly mine: false;
  readonly pid: number;
  readonly host: string;
  readonly since: number;
};

/** The process that left a mark, as the holder of what it marks. */
export function holderIn({ pid, host, since }: Mark): Holder {
  return { mine: false, pid, host, since };
}

/** More is no mark, in bytes. */
export const longestMark = 4_096;

/** The mark that a text is, as JSON; undefined when it is torn, or none. */
export function parseMark(text: string): Mark | undefined {
  try {
    const mark: unknown = JSON.parse(text);
    return isOwner(mark) && Number.isFinite((mark as Mark).since) ? (mark as Mark) : undefined;
  } catch {
    return undefined;
  }
}
