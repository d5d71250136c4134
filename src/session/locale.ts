import type { Environment } from '../context.ts';

/**
 * Whether lines and dots may be other than ASCII: the first of the three variables that is set tells (POSIX, 8.2). Where none
 * is, as in most containers and on Windows, nobody asked for less than the UTF-8 that is written anyway.
 */
export function isUtf8({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return !locale || /utf-?8/i.test(locale);
}
