import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { noticesOf, test } from '../support/machines.ts';
import { expect } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { list, listNow, never } from '../support/told.ts';

const faults = [
  ['refuses', 'unreachable (ECONNREFUSED)'],
  ['silent', 'timed out'],
  ['full', 'OOM command not allowed'],
  ['password', 'wrong user name or password'],
  ['loses the reply', 'Connection is closed'],
].map(
  ([fault, says]) => `go on alone, with one notice, if it ${fault}
    store ${fault}
    one: list < 500 => sent 2; at 0s; notices 1; says ${says}; says redis://limits.example:7000/2`,
);
const waits = [
  ['a 429', '429 900', '900s', 75],
  ['a minute that is used up', 'left 0/60', '60s', 0],
  ['a day that is used up', 'left 0/1000 for 20h', '20h', 0],
] as const;
const known = waits.map(
  ([wait, answer, until, code]) => `keep to ${wait}, whoever was told it
    one: list! < ${answer} => ${code}
    30s later
    two: list! => 75
    store refuses
    one: list! => 75; until ${until}; sent 0
    two: list! => 75; until ${until}; sent 0`,
);

stories(
  'without their store, machines',
  `
  ${faults.join('\n\n')}

  ${known.join('\n\n')}

  leave a quarter to the others
    store refuses
    one: list! < left 60/100
    one: list! < left 49/100
    one: list! < left 27/100
    one: list! < left 25/100
    one: list! => 75; sent 0

  keep to a wait that they are in when it goes
    one: list! < 429 30 => 75
    two: list & => at 30s; sent 1; notices 1
    2s later
    store refuses
`,
);

stories(
  'when their store is back, machines',
  `
  keep to a wait that they were told alone, and tell the others
    store refuses
    one: list! < 429 900 => 75
    store works
    one: list! => 75; sent 0
    two: list! => 75; sent 0

  wait for no request of theirs that ended meanwhile
    one: list & < 429 20 after 2s => at 22s
    1s later
    store refuses
    9s later
    store works
`,
);

const losses = [
  [...waits[0], 'is flushed', 'forgets'],
  [...waits[1], 'comes back empty', 'restarts empty'],
  [...waits[1], 'comes back with old values', 'restarts with what it had'],
  [...waits[2], 'comes back with old values', 'restarts with what it had'],
].map(([wait, answer, until, code, how, step]) => {
  return `forgets no wait that a machine knows of: ${wait}, and it ${how}
    zero: list
    one: list
    store keeps a copy
    one: list! < ${answer} => ${code}
    two: list! => 75
    store ${step}
    zero: limits
    two: list! => 75; until ${until}; sent 0
    one: list! => 75; until ${until}; sent 0
    zero: list! => 75; until ${until}; sent 0; at 0s`;
});

stories(
  'a store that loses its values',
  `
  ${losses.join('\n\n')}

  does not bring back a wait from before a --reset
    one: list! < 429 900 => 75
    two: list! => 75
    store keeps a copy
    one: limits --reset
    store restarts with what it had
    one: list!
    two: list!
`,
);

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

      const alone = await run('one', listNow);
      engine.flush();
      const back = await run('one', listNow);

      expect([alone.exitCode, back.exitCode]).toEqual([0, 0]);
      expect([noticesOf(alone).length, noticesOf(back).length]).toEqual([1, 0]);
    },
  );
});
