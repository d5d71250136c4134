import { describe } from 'vitest';
import { test, vanish } from '../support/import-cases.ts';
import { expect } from '../support/petstore.ts';
import { list, loadCommands, never } from '../support/told.ts';
import { plans } from '../support/values.ts';

const create = ['categories', 'create', 'cat', '--timeout', '1h'];

describe('a process that is killed with a request in flight', () => {
  // It is killed ten seconds after it sent that.
  test.for([
    ['the first of all: the next one follows within three seconds', 'here', 0, 10, 13],
    ['the last of a minute: it may have been counted', 'here', 1, 60, 63],
    ['the first of all, elsewhere: within eleven minutes', 'there', 0, 60, 660],
  ] as const)('%s', async (row, { runProcess, petstore, folder, sandbox, clock }) => {
    const [, host, before, from, to] = row;
    await loadCommands({ petstore, folder, clock });
    sandbox.plan = { ...plans.free, minute: { limit: 2, length: 60_000 } };
    const start = clock.uptime();
    if (before > 0) await runProcess(list);
    await runProcess(create, { create: vanish, isKilled: true, host });

    const { exitCode, sent } = await runProcess([...list, '--max-wait', 'inf']);

    const seconds = (clock.uptime() - start) / 1_000;
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: ['list'] });
    expect(seconds).toBeGreaterThanOrEqual(from);
    expect(seconds).toBeLessThanOrEqual(to);
  });

  test('does not look in flight for longer than a request may take', async ({
    runProcess,
    clock,
  }) => {
    await runProcess(create, { create: vanish, isKilled: true, host: 'there' });
    await clock.sleep(660_000, never);

    const { stdout } = await runProcess(['limits', '--json']);

    expect(JSON.parse(stdout).inFlight).toBe(0);
  });
});
