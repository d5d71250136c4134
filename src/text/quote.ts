import { mayBeKey } from './secret.ts';

const maxNameLength = 40;

export function quoted(name: string): string {
  return name.length > maxNameLength ? `"${name.slice(0, maxNameLength)}…"` : `"${name}"`;
}

/** Returns an invalid word as the end of a phrase, in quotes after a space, or nothing if it may be a key. */
export function quotedUnlessKey(text: string): string {
  return mayBeKey(text) ? '' : ` ${quoted(text)}`;
}
