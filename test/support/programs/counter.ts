import { durableWrite, readText } from '../../../src/disk/files.ts';
import { withLock } from '../../../src/disk/lock.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';

/** Adds one to the number in a file, `rounds` times, as a setting is changed: read, then written, under a lock. */
const [path = '', rounds = ''] = process.argv.slice(2);
const context = createNodeContext(new AbortController().signal);

for (let round = 0; round < Number(rounds); round += 1) {
  await withLock(context, `${path}.lock`, () =>
    durableWrite(path, String(Number(readText(path, 64) ?? 0) + 1)),
  );
}
