import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../support/ports.ts';

export type SlowWay = { readonly port: number; readonly close: () => void };

/** Opens a port that leads to another one of this machine. Bytes take `delay` ms each way. */
export async function openSlowWay(to: number, delay: number): Promise<SlowWay> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [from, onto] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('data', (data) => void setTimeout(() => onto.writable && onto.write(data), delay));
      from.on('close', () => {
        open.delete(from);
        setTimeout(() => onto.destroy(), delay);
      });
    }
  });
  return {
    port: await listen(server),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
