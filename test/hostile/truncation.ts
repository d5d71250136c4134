import { commands } from './commands.ts';
import { runInProcess } from './in-process.ts';
import type { HostileServer } from './server.ts';

/** What goes against the promises when an answer ends behind its first `at` bytes, by an end or by a reset in turn. */
export async function proveCut(
  server: HostileServer,
  answer: Buffer,
  at: number,
  writes: boolean,
): Promise<string[]> {
  const part = answer.subarray(0, at);
  const { url, seen } = server.play((socket) => {
    if (at % 2 === 0 || at === answer.length) socket.end(part);
    else socket.write(part, () => socket.resetAndDestroy());
  });
  const { argv, json = false } = writes ? commands.create : commands.list;
  const run = await runInProcess(argv, url, { json, timeout: 20_000 });
  const creates = seen.filter(({ method }) => method === 'POST').length;
  const broken = [
    ...run.broken,
    run.exitCode !== (writes ? 6 : 5) && `exit code ${run.exitCode}`,
    run.exitCode !== 0 && run.stdout !== '' && 'a part of the result',
    writes && run.exitCode !== 0 && !run.stderr.includes('"outcome":"unknown"') && 'no outcome',
    writes && creates !== 1 && `${creates} creates`,
  ];
  return broken.filter((promise) => typeof promise === 'string');
}
