import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands, endings } from './commands.ts';
import type { CommandName, Fault } from './fault.ts';
import { runInProcess } from './in-process.ts';
import { canary } from './invariants.ts';
import { type HostileServer, startHostileServer } from './server.ts';

/** Deadlines that are to pass, and those that are not, on a machine that does other things too. */
const timeouts = { slow: '600ms', others: '20s' };
/** In ms; nothing here waits for more than two deadlines that are to pass. */
const longestRun = 10_000;
/** An import sends each of its two rows again once it has seen that they are not there. */
const mostCreates = 4;

/** Proves for each fault how each command ends: exit code, outcome, words, what reached the server, and what never happens. */
export function proveEach(faults: readonly Fault[]): void {
  let server: HostileServer;
  let elsewhere: HostileServer;
  beforeAll(async () => {
    elsewhere = await startHostileServer();
    server = await startHostileServer(elsewhere.url);
  });
  afterAll(() => {
    server.close();
    elsewhere.close();
  });

  describe.concurrent('ends as promised:', () => {
    test.for(faults.map((fault) => [fault.fault, fault] as const))('%s', async ([, fault]) => {
      const names = fault.only ?? (Object.keys(commands) as CommandName[]);
      for (const name of names) await prove(fault, name, server);
    });
  });

  test('and nobody goes where a redirect points', () => {
    expect(elsewhere.connections()).toBe(0);
  });
}

async function prove(fault: Fault, name: CommandName, server: HostileServer): Promise<void> {
  const { argv, json = false, writes = false, listsWell = false } = commands[name];
  const { means, says, react } = fault;
  const { read, create, rows, tries } = endings[means];
  const end = { create, rows }[name as 'create'] ?? read;
  const play = server.play(react, { commits: means === 'fine', listsWell });
  const timeout = means === 'slow' ? timeouts.slow : timeouts.others;

  const run = await runInProcess(
    [...argv, '--max-wait', '0', '--timeout', timeout],
    play.url,
    json,
  );

  const context = `${name}: ${JSON.stringify(run)}`;
  expect(run.broken, context).toEqual([]);
  expect(run.exitCode, context).toBe(end.exitCode);
  expect(run.ms, context).toBeLessThan(longestRun);
  if (name === 'create') expect(outcomeOf(run.stderr), context).toBe(end.outcome);
  if (says && !json) expect(run.stderr, context).toMatch(says);
  if (end.exitCode !== 0 && name !== 'rows' && end.exitCode !== 75) {
    expect(run.stdout, context).toBe('');
  }

  const creates = play.seen.filter(({ method }) => method === 'POST').length;
  const reads = play.seen.length - creates;
  if (name === 'create') expect(creates, context).toBe(1);
  if (name === 'rows') expect(creates, context).toBeLessThanOrEqual(mostCreates);
  if (!writes && means !== 'fine')
    expect([creates, reads], context).toEqual([0, fault.tries ?? tries]);
  for (const { head } of play.seen) expect(head).toContain(`\r\nauthorization: Bearer ${canary}`);
}

/** What the error says became of a create. */
function outcomeOf(stderr: string): string | undefined {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) || '{}').outcome;
}
