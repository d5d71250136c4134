import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createNodeContext } from '../../../src/node/node-context.ts';
import { withLock } from '../../../src/store/lock.ts';

/**
 * Takes and releases a lock `rounds` times. While it has the lock it listens on `port`, as only one process can at a time;
 * if it is killed the system itself frees the port. Exits with 9 if another process has the lock as well.
 */
const [path = '', port = '', rounds = ''] = process.argv.slice(2);
const context = createNodeContext(new AbortController().signal);

for (let round = 0; round < Number(rounds); round += 1) {
  await withLock({ ...context, sleep: () => pause(Math.random() * 50) }, path, async () => {
    const server = await listen();
    await pause(Math.random() * 2);
    await new Promise((resolve) => server.close(resolve));
  });
}

function listen(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => process.exit(9));
    server.listen({ host: '127.0.0.1', port: Number(port), exclusive: true }, () =>
      resolve(server),
    );
  });
}
