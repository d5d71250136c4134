import { commands } from './commands.ts';
import type { CommandName } from './fault.ts';
import type { Unreached } from './faults/unreached.ts';
import { runInProcess } from './in-process.ts';
import { holdsKey } from './invariants.ts';

/** All commands; before the rows of an import there is its list. */
const names: readonly CommandName[] = ['list', 'create', 'import', 'pet', 'orders', 'limits'];

/** Each promise that a command breaks when nothing of its request can leave. */
export async function proveUnreached({ says, open, timeout = 20_000, only = names }: Unreached) {
  const { url, env = {}, asked, seen, close } = await open();
  const broken: string[] = [];
  for (const name of only) {
    const { argv, json = false } = commands[name];
    const before = asked?.() ?? 0;

    const run = await runInProcess([...argv, '--max-wait', '0'], url, { json, timeout, env });

    const promises = [
      ...run.broken,
      run.exitCode !== 5 && `exit code ${run.exitCode}`,
      run.stdout !== '' && 'a result',
      !says.test(json ? textOf(run.stderr) : run.stderr) && `does not say ${says}`,
      name === 'create' && !run.stderr.includes('"outcome":"not_sent"') && 'no outcome',
      asked && asked() !== before + 1 && 'the proxy was not asked once',
      run.stderr.includes('sesame') && 'the password of the proxy',
    ].filter(Boolean);
    broken.push(...promises.map((promise) => `${name}: ${promise}: ${JSON.stringify(run)}`));
  }
  if (seen && holdsKey(seen().toString('latin1'))) broken.push('the key at the proxy');
  close?.();
  return broken;
}

/** Returns an error event as the lines of the text that it stands for, but for what became of a write. */
function textOf(stderr: string): string {
  const { message, hint } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  return `petstore: ${message}\n${hint}\n`;
}
