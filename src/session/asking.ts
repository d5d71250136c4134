import type { Context } from '../context.ts';
import type { CommonOptions } from './options.ts';

/** Whether somebody is there to be asked, and did not ask to be left alone. */
export function mayAsk({ stdin, stderr, env }: Context, { input }: CommonOptions): boolean {
  return stdin.isTTY === true && stderr.isTTY && !env.CI && input !== false;
}
