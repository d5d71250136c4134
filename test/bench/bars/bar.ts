/** One line of the bench: what was measured, and what it has to be. */
export type Bar = {
  readonly what: string;
  /** Undefined where it could not be measured; `note` then says why. */
  readonly figure: number | undefined;
  readonly unit: 'ratio' | 'MB' | 's';
  /** The bar itself; undefined for a figure that only tells. */
  readonly most?: number;
  readonly note?: string;
  /**
   * Of a figure that can be drawn: what was run, the size that it grows with (rows, or lines, or processes), and the middle half
   * of all runs.
   */
  readonly program?: string;
  readonly size?: number;
  readonly quartiles?: readonly [number, number];
};

/** What every part of the bench is given. */
export type Setup = {
  /** How often each program of a part is run, in turns with the others of its part. */
  readonly runs: number;
  /** An empty folder of this part alone. */
  readonly folder: string;
  /** The address of a store with that many categories, served by a process of its own; another one for each name. */
  readonly service: (rows: number, name?: string) => string;
};

/** Undefined where there is no figure. */
export function isMet({ figure, most }: Bar): boolean | undefined {
  return most === undefined || figure === undefined ? undefined : figure <= most;
}
