import type { Context } from '../context.ts';
import type { Format } from '../formats.ts';
import type { Outlet } from '../output/sink.ts';

/** What every command is given: the world outside, and the one way to say something to it. */
export type Host = {
  readonly context: Context;
  readonly sink: Outlet;
  /** How results and errors of this run are printed; undefined until the settings are known. */
  format: Format | undefined;
};
