import { spawn } from 'node:child_process';
import { environment } from './home.ts';
import { recorded } from './programs.ts';
import { startServiceProcess } from './service-process.ts';

/** `none`: one that is never written. */
export type Journal = 'real' | 'none';

type Import = {
  readonly file: string;
  /** How many creates it takes. */
  readonly creates: number;
  /** An empty folder. */
  readonly home: string;
  readonly journal: Journal;
};

/** Creates per second of an undisturbed import, as the service sees them. @throws Error when not all are created */
export async function measureRate({ file, creates, home, journal }: Import): Promise<number> {
  const service = await startServiceProcess();
  const [program = '', ...args] = recorded.argv(file, 'ensure', '500ms');
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...environment(home, service), PETSTORE_BENCH_JOURNAL: journal },
  });
  const code = await new Promise((done) => child.once('close', done));
  const { writes, span } = await service.end();
  if (code !== 0 || writes !== creates) throw new Error(`exit ${code} after ${writes} creates`);
  return (1_000 * (writes - 1)) / span;
}
