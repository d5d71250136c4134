/** One line of the bench: a figure, and the most that it may be. */
export type Bar = {
  readonly name: string;
  /** NaN if it could not be measured. */
  readonly figure: number;
  readonly unit: 'ratio' | 'MB' | 's';
  readonly max?: number | undefined;
};

export type Setup = {
  /** How often each program of a part is run, in turns with the others of its part. */
  readonly runs: number;
  /** An empty folder of this part alone. */
  readonly folder: string;
  /** Returns the address of a service with that many categories, in a process of its own. Each name has another one. */
  readonly service: (rows: number, name?: string) => string;
};
