import { claim } from '../../../src/disk/claim.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';

/** Claims a thing, says whether it has it, and keeps it until it is killed. */
const [path = ''] = process.argv.slice(2);
const context = createNodeContext(new AbortController().signal);

process.stdout.write(`${claim(context, path).mine}\n`);
setInterval(() => {}, 60_000);
