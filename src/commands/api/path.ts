import { usageFailure } from '../../errors.ts';

/** What a path cannot have in it, and what it is called. */
const strangers: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}/u, 'a control character'],
  [/[\p{Cs}\ufffd]/u, 'bytes that are not UTF-8'],
  [/\\/, 'a backslash'],
  [/#/, 'a "#", which is never sent: as part of a name it is %23'],
];

/**
 * A path below the base URL as it is sent: what was percent-encoded stays so, and what has to be is.
 * @throws Failure (usage) for one that leads anywhere else; it is not said again, since it may be a key in the wrong place
 */
export function parsePath(text: string): string {
  if (!/^\/(?!\/)/.test(text)) throw noPath('does not begin with one "/"', hintFor(text));
  const [, stranger] = strangers.find(([form]) => form.test(text)) ?? [];
  if (stranger) throw noPath(`has ${stranger}`);
  if (hasDotSegment(text)) throw noPath('has a segment that is "." or ".."');
  const { pathname, search } = new URL(text, 'http://localhost');
  return pathname + search;
}

/** Written in any way: a server or a proxy may decode it and then follow it. */
function hasDotSegment(text: string): boolean {
  const [path = ''] = text.split('?', 1);
  const decoded = path.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/');
  return decoded.split('/').some((segment) => segment === '.' || segment === '..');
}

function hintFor(text: string): string {
  if (/^https?:/i.test(text)) return 'The address is a setting of its own: --base-url URL';
  if (/^[a-z]:/i.test(text)) return 'Where the shell makes another path of it: MSYS_NO_PATHCONV=1';
  return 'For example: petstore api GET /categories';
}

function noPath(what: string, hint?: string) {
  return usageFailure(`the path ${what}`, hint);
}
