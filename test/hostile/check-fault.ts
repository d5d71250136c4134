import { type CommandName, commands, endings } from './commands.ts';
import type { Fault } from './fault.ts';
import type { Unreached } from './faults/unreached.ts';
import { runInProcess } from './in-process.ts';
import { canary, holdsKey } from './invariants.ts';
import type { HostileServer } from './server.ts';

/** Deadlines that are to pass, and those that are not, on a machine that does other things too; in ms. */
const timeouts = { slow: 600, others: 20_000 };
/** An import sends each of its two rows again until three looks have shown that they are not there. */
const mostCreates = 6;

/** Returns each promise that one of these commands breaks when it meets the fault: about exit code, outcome, words, and what reaches the server. */
export async function checkFault(
  fault: Fault,
  names: readonly CommandName[],
  server: HostileServer,
): Promise<string[]> {
  const broken: string[] = [];
  for (const name of names) {
    if (fault.only?.includes(name) ?? true)
      broken.push(...(await checkCommand(fault, name, server)));
  }
  return broken;
}

async function checkCommand(
  fault: Fault,
  name: CommandName,
  server: HostileServer,
): Promise<string[]> {
  const { argv, json = false, writes = false, listsWell = false } = commands[name];
  const { expected, says, react } = fault;
  const { read, create, rows, tries } = endings[expected];
  const end = { create, rows, api: create }[name as 'create'] ?? read;
  const { url, seen } = server.serveAt(react, { commits: expected === 'fine', listsWell });
  const timeout = fault.timeout ?? (expected === 'slow' ? timeouts.slow : timeouts.others);

  const run = await runInProcess([...argv, '--max-wait', '0'], url, { json, timeout });

  const one = name === 'create' || name === 'api';
  const creates = seen.filter(({ method }) => method === 'POST').length;
  const reads = seen.length - creates;
  const readsAlone = !writes && expected !== 'fine';
  const mostTries = fault.tries ?? tries;
  const whole = end.exitCode === 0 || end.exitCode === 75 || name === 'rows';
  const broken = [
    ...run.broken,
    run.exitCode !== end.exitCode && `exit code ${run.exitCode} in place of ${end.exitCode}`,
    one && eventIn(run.stderr).outcome !== end.outcome && `not ${end.outcome}`,
    says && !json && !says.test(run.stderr) && `does not say ${says}`,
    expected !== 'slow' && run.stderr.includes('timed out after') && 'ended by its deadline',
    !whole && run.stdout !== '' && 'a result',
    one && creates !== 1 && `${creates} creates`,
    name === 'rows' && creates > mostCreates && `${creates} creates`,
    readsAlone && creates > 0 && 'a create',
    readsAlone && reads !== mostTries && `${reads} reads in place of ${mostTries}`,
    !seen.every(({ head }) => head.includes(`\r\nauthorization: Bearer ${canary}`)) && 'no key',
  ].filter(Boolean);
  return broken.map((promise) => `${name}: ${promise}: ${JSON.stringify(run)}`);
}

/** Returns the last event. */
function eventIn(stderr: string) {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) || '{}');
}

/** All commands; before the rows of an import there is its list. */
const allCommands: readonly CommandName[] = ['list', 'create', 'import', 'pet', 'orders', 'limits'];

/** Each promise that a command breaks when nothing of its request can leave. */
export async function checkUnreached({
  says,
  open,
  timeout = 20_000,
  only = allCommands,
}: Unreached) {
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
  const { message, hint } = eventIn(stderr);
  return `petstore: ${message}\n${hint}\n`;
}
