/** What figures were measured on, on which day, and the versions of what petstore is compared with. */
export type Machine = {
  readonly date: string;
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly peers: Readonly<Record<string, string>>;
};

/** What `npm run bench -- --json` prints, as far as it is drawn. */
export type Speed = {
  readonly machine: Machine;
  readonly runs: number;
  readonly bars: readonly {
    readonly unit: string;
    readonly figure?: number | undefined;
    readonly program?: string;
    readonly size?: number;
    readonly quartiles?: readonly [number, number];
    readonly note?: string;
  }[];
};

/** What `npm run bench:limits -- --json` prints, as far as it is drawn; times are seconds from the first request on. */
export type Races = {
  readonly machine: Machine;
  readonly races: readonly {
    readonly name: string;
    readonly arrivals: readonly { readonly at: number; readonly status: number }[];
    readonly banned: readonly { readonly from: number; readonly to: number }[];
  }[];
};

/** The line below a title that says where the figures come from. */
export function measuredOn({ date, node, cores, cpu }: Machine): string {
  const model = cpu.replace(/\((R|TM)\)|( \d+-Core)? Processor| CPU|@.*/g, '').trim();
  return `Node ${node}, ${cores} cores (${model}), ${date}`;
}
