import type { Context, Environment, Output } from '../context.ts';
import type { Format } from '../formats.ts';
import type { Sink } from '../output/sink.ts';
import type { CommonOptions } from './options.ts';

/** What every command is given: the world outside, and the one way to say something to it. */
export type Host = {
  readonly context: Context;
  readonly sink: Sink;
  /** How results and errors of this run are printed; undefined until the settings are known. */
  format: Format | undefined;
};

/** Whether somebody is there to be asked, and did not ask to be left alone. */
export function mayAsk({ stdin, stderr, env }: Context, { input }: CommonOptions): boolean {
  return stdin.isTTY === true && stderr.isTTY && !env.CI && input !== false;
}

/** Whether a stream gets colours: asked for, or a terminal that was not asked to do without. */
export function hasColor(stream: Output, env: Environment, { color }: CommonOptions): boolean {
  if (color === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY && env.TERM !== 'dumb';
}

/**
 * Whether lines and dots may be other than ASCII: the first of the three variables that is set tells (POSIX, 8.2). Where none
 * is, as in most containers and on Windows, nobody asked for less than the UTF-8 that is written anyway.
 */
export function isUtf8({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return !locale || /utf-?8/i.test(locale);
}
