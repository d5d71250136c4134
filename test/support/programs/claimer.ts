import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { claim } from '../../../src/disk/claim.ts';
import { createNodeContext } from '../../../src/node/node-context.ts';

/**
 * Claims and releases `rounds` times. While it has the claim it listens on `port`, as only one process can at a time;
 * when it is killed the system itself frees the port. Exits with 9 when somebody else was inside.
 */
const [path = '', port = '', rounds = ''] = process.argv.slice(2);
const context = createNodeContext(new AbortController().signal);

for (let round = 0; round < Number(rounds); round += 1) {
  let claimed = claim(context, path);
  while (!claimed.mine) {
    await pause(Math.random() * 5);
    claimed = claim(context, path);
  }
  const inside = await enter();
  await pause(Math.random() * 2);
  await new Promise((resolve) => inside.close(resolve));
  claimed.release();
}

function enter(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => process.exit(9));
    server.listen({ host: '127.0.0.1', port: Number(port), exclusive: true }, () =>
      resolve(server),
    );
  });
}
