import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startFaultyService } from './faulty-service.ts';
import { existing } from './rows.ts';

type Address = { readonly url: string; readonly key: string };
/** How many writes came, and the ms between the first and the last. */
type Writes = { readonly writes: number; readonly span: number };

/** Serves without faults until the parent process asks what came. */
export async function serveHere(): Promise<void> {
  const manners = { random: () => 1, share: 0, pace: 0, before: existing };
  const { url, key, arrivals, close } = await startFaultyService(manners);
  process.send?.({ url, key } satisfies Address);
  await once(process, 'message');
  const times = arrivals.filter(({ method }) => method === 'POST').map(({ at }) => at);
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  process.send?.({ writes: times.length, span } satisfies Writes);
  close();
  process.disconnect();
}

/** Starts this program again as a service in a process of its own. */
export async function startServiceProcess(): Promise<Address & { end: () => Promise<Writes> }> {
  const child = fork(process.argv[1] ?? '', ['service']);
  const [address] = (await once(child, 'message')) as [Address];
  return {
    ...address,
    async end() {
      child.send('end');
      const [writes] = (await once(child, 'message')) as [Writes];
      return writes;
    },
  };
}
