import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Context } from '../../../src/context.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';
import { run } from '../../../src/run.ts';

/** petstore in a frame: a folder in PETSTORE_BENCH_SYNCED receives how much of each file would survive a power cut. */
const { PETSTORE_BENCH_SYNCED: folder } = process.env;
const context = createNodeContext(new AbortController().signal);
const { stateFiles } = context;
const framed: Context = Object.assign(Object.create(context), {
  stateFiles: {
    ...stateFiles,
    write(path: string, text: string) {
      stateFiles.write(path, text);
      noteLength(path);
    },
    sync(path: string) {
      stateFiles.sync(path);
      noteLength(path);
    },
  },
});
process.exit(await run(process.argv.slice(2), framed));

function noteLength(path: string): void {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  // A kill cannot tear an appended line as it could a file that is replaced.
  appendFileSync(join(folder, basename(path)), `${statSync(path).size}\n`);
}
