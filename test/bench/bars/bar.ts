/** One line of the bench: a figure, and the most that it may be. */
export type Bar = {
  readonly name: string;
  /** Undefined where it could not be measured; `note` then says why. */
  readonly figure: number | undefined;
  readonly unit: 'ratio' | 'MB' | 'kB' | 's';
  readonly max?: number | undefined;
  readonly note?: string;
};

export type Setup = {
  /** How often each program of a part is run, in turns with the others of its part. */
  readonly runs: number;
  /** An empty folder of this part alone. */
  readonly folder: string;
  /** The address of a store with that many categories, served by a process of its own; another one for each name. */
  readonly service: (rows: number, name?: string) => string;
};
