import { usageFailure } from '../../errors.ts';

/** What a path cannot have in it, and how that is said. */
const strangers: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}/u, 'must not contain a control character'],
  [/[\p{Cs}\ufffd]/u, 'must be valid UTF-8'],
  [/\\/, 'must not contain a backslash'],
  [/#/, 'must not contain "#"; write %23 instead'],
];

/**
 * A path below the base URL as it is sent, with or without its first slash: what was percent-encoded stays so, and what has to be is.
 * @throws Failure (usage) for one that leads anywhere else; it is not said again, since it may be a key in the wrong place
 */
export function parsePath(given: string): string {
  if (given.trim() === '') throw noPath('must not be empty', example);
  if (given.startsWith('//')) throw noPath('must begin with a single "/"', example);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(given)) {
    throw noPath('must not be a URL', 'To use another base URL: --base-url URL');
  }
  if (/^[a-z]:[/\\]/i.test(given)) {
    throw noPath(
      'must not begin with a drive',
      'If the shell rewrites the path: leave out its first "/", or set MSYS_NO_PATHCONV=1',
    );
  }
  const text = given.startsWith('/') ? given : `/${given}`;
  const [, stranger] = strangers.find(([form]) => form.test(text)) ?? [];
  if (stranger) throw noPath(stranger);
  if (hasDotSegment(text)) throw noPath('must not contain "." or ".." segments');
  const { pathname, search } = new URL(text, 'http://localhost');
  return pathname + search;
}

/** Written in any way: a server or a proxy may decode it and then follow it. */
function hasDotSegment(text: string): boolean {
  const [path = ''] = text.split('?', 1);
  const decoded = path.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/');
  return decoded.split('/').some((segment) => segment === '.' || segment === '..');
}

const example = 'Example: petstore api GET /categories';

function noPath(what: string, hint?: string) {
  return usageFailure(`invalid path: ${what}`, hint);
}
