import { type Context, type Environment, isCi, type Output } from '../context.ts';
import type { Format } from '../formats.ts';
import { isDumb } from '../output/reporter.ts';
import type { Sink } from '../output/sink.ts';
import type { CommonOptions } from './options.ts';

export type App = {
  readonly context: Context;
  readonly sink: Sink;
  /** The command line contains `--`. */
  readonly isSeparated: boolean;
  format: Format | undefined;
};

export function canPrompt({ stdin, stderr, env }: Context, { input }: CommonOptions): boolean {
  return stdin.isTTY === true && stderr.isTTY && !isCi(env) && input !== false;
}

/** Returns true if a stream gets colours: by FORCE_COLOR, or on a terminal unless they are disabled. */
export function hasColor(stream: Output, env: Environment, { color }: CommonOptions): boolean {
  if (color === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY && !isDumb(env);
}
