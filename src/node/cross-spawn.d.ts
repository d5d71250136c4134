/** What we use of it; it has no types of its own. */
declare module 'cross-spawn' {
  import type { SpawnOptions } from 'node:child_process';

  type Parsed = {
    readonly command: string;
    readonly args: readonly string[];
    readonly options: SpawnOptions;
    /** Where the program was found on PATH. */
    readonly file: string | undefined;
  };
  const crossSpawn: {
    readonly _parse: (command: string, args: readonly string[], options: SpawnOptions) => Parsed;
  };
  export default crossSpawn;
}
