import type { Environment, Output } from '../context.ts';
import type { CommonOptions } from './options.ts';

/** Whether a stream gets colours: asked for, or a terminal that was not asked to do without. */
export function hasColor(stream: Output, env: Environment, { color }: CommonOptions): boolean {
  if (color === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY && env.TERM !== 'dumb';
}
