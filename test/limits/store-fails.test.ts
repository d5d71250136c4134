import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { test } from '../support/machines.ts';
import { expect } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { list, listNow, never } from '../support/told.ts';

const faults = [
  ['refuses', 'unreachable (ECONNREFUSED)', 75],
  ['silent', 'timed out', 75],
  ['full', 'OOM command not allowed', 75],
  ['password', 'wrong user name or password', 2],
  ['untrusted', 'its certificate cannot be trusted', 2],
  ['crowded', 'ERR max number of clients reached', 75],
  ['loses the reply', 'Connection is closed', 75],
].map(
  ([fault, says, code]) => `send nothing if it ${fault}
    store ${fault}
    one: list! => ${code}; sent 0; says ${says}; says redis://limits.example:7000/2`,
);

stories(
  'without their store, machines',
  `
  ${faults.join('\n\n')}

  wait for it
    store refuses
    one: list & => at 10s; sent 1; waits unavailable
    10s later
    store works

  keep to a wait that they are in when it goes
    one: list! < 429 30 => 75
    two: list & => at 30s; sent 1
    2s later
    store refuses
    9s later
    store works

  keep to a wait after it, whoever was told
    one: list! < 429 900 => 75
    store refuses
    two: list! => 75; sent 0
    store works
    two: list! => 75; until 900s; sent 0
`,
);

stories(
  'a store that was started anew',
  `
  with old values costs one 429
    one: list
    store keeps a copy
    one: list! < 429 900 => 75
    store restarts with what it had
    two: list! < 429 900 => 75; sent 1
    one: list! => 75; sent 0
`,
);

test('what was granted is not sent once the store has gone', async ({
  machines: { run, engine },
  clock,
  sandbox,
}) => {
  await run('one', list);
  sandbox.connect = () => clock.sleep(5_000, never);
  const granted = run('one', listNow);
  await clock.sleep(2_000, never);
  engine.fault = 'refuses';

  expect((await granted).events().at(-1)).toMatchObject({ exitCode: 75, outcome: 'not_sent' });
  expect(sandbox.requests).toHaveLength(1);
});

describe('a store', () => {
  test('that loses its values costs at most one 429 in each window', async ({
    machines: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.plan = { ...sandbox.plan, minute: { limit: 20, length: 60_000 } };
    sandbox.react = () => {
      if (sandbox.requests.length % 3 === 0) engine.flush();
      return undefined;
    };
    const codes = new Set<number>();
    for (let n = 0; n < 30; n += 1) {
      engine.flush();
      // Neither in turns nor one machine after the other.
      const machine = `machine-${Math.floor(n * 6.18) % 10}`;
      codes.add((await run(machine, [...list, '--max-wait', 'inf'])).exitCode);
      await clock.sleep(300, never);
    }

    expect([...codes]).toEqual([0]);
    expect(sandbox.requests.length).toBeLessThanOrEqual(30 + 2);
  });

  const blockSince = { reason: '429', since: 1e12, gapMs: 0 };
  const permit = { expiresAt: 9e14, owner: { pid: 7, host: 'gone' } };
  test.for([
    ['a wait until a word', { block: { ...blockSince, until: 'tomorrow' } }],
    ['a wait without end', { block: { ...blockSince, until: 9e14 } }],
    ['a request without end', { permits: { z: permit } }],
  ] as const)(
    'is not believed if somebody has put %s into it',
    async ([, put], { machines: { run, engine } }) => {
      await run('one', list);
      const [key = ''] = engine.keys();
      const stamp = { at: 1e12, wall: startTime, uptime: startTime, boot: 'server' };
      engine.put(key, JSON.stringify({ state: { permits: {}, refusals: 0, ...put }, stamp }));

      expect((await run('one', listNow)).exitCode).toBe(0);
    },
  );
});
