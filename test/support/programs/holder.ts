import { tryLock } from '../../../src/disk/lock.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';

/** Takes a lock, says whether it has it, and keeps it until it is killed. */
const [path = ''] = process.argv.slice(2);
const context = createNodeContext(new AbortController().signal);

const { acquired } = await tryLock(context, path);
process.stdout.write(`${acquired}\n`);
setInterval(() => {}, 60_000);
