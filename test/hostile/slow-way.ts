import { connect, createServer } from 'node:net';
import { openServer } from '../support/ports.ts';

/** Opens a port that leads to another one of this machine. Bytes take `delay` ms each way. */
export function openSlowWay(to: number, delay: number) {
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1').on('error', () => {});
    for (const [from, onto] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (data) => void setTimeout(() => onto.writable && onto.write(data), delay));
      from.on('close', () => setTimeout(() => onto.destroy(), delay));
    }
  });
  return openServer(server);
}
