import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { shownUrl, storePassword, storeUrl, test } from '../support/machines.ts';
import { expect, reply } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { list, listNow, never } from '../support/told.ts';

const faults = [
  ['refuses', 'unreachable (ECONNREFUSED)', 75],
  ['silent', 'timed out', 75],
  ['full', 'OOM command not allowed', 75],
  ['password', 'wrong user name or password', 2],
  ['wants a login', 'wrong user name or password', 2],
  ['untrusted', 'its certificate cannot be trusted', 2],
  ['crowded', 'ERR max number of clients reached', 75],
  ['loses the reply', 'Connection is closed', 75],
].map(
  ([fault, says, code]) => `send nothing if it ${fault}
    store ${fault}
    file pets.csv name ant
    one: list! => ${code}; sent 0; says ${says}; says ${shownUrl}
    one: create! ant --if-missing => ${code}; sent 0; says ${says}; event {"outcome":"not_sent"}
    one: import pets.csv --max-wait 5s => ${code}; sent 0; says ${says}; says petstore doctor`,
);

/** After these two requests may be in flight. */
const twoInFlight = Array(12).fill('one: list!').join('\n    ');

stories(
  'a wait that a store keeps',
  `
  of more than a day binds a machine that starts long after
    one: list! < 429 144000 => 75
    39h later
    two: list! => 75; until 40h; sent 0; says rate limit exceeded

  of a 503 does, too
    one: list! < 503 300 => 75
    200s later
    two: list! => 75; until 300s; sent 0; says the service is unavailable (503)

  for the next day does, too
    one: list! < left 0/1000 for 20h
    19h later
    two: list! => 75; until 20h; sent 0; says 1000 requests per day

  binds a request that still connects when another machine is told of it
    two: limits
    ${twoInFlight}
    connect 5s
    one: list! & => 75; sent 1; event {"outcome":"not_sent"}
    2s later
    connect 0s
    two: list! < 429 3600 => 75; event {"status":429}
`,
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

  do not send what was granted before it went
    one: list
    connect 5s
    one: list! & => 75; sent 0; event {"outcome":"not_sent"}
    2s later
    store refuses

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
  does not know yet whose turn it is to create
    one: create ant --if-missing --max-wait 3s => 75; says does not know yet whose turn it is
    one: create ant --if-missing => at 15s; waits claimed
    one: list => json [{"name":"ant"}]

  with old values costs one 429
    ${twoInFlight}
    store keeps a copy
    one: list! < 429 900 => 75
    store restarts with what it had
    2 x two: list! < 429 900 after 1s => 75; sent 1
    one: list! => 75; sent 0
`,
);

test('machines that ask at the same moment get what is left, and no more', async ({
  machines: { run, engine },
  sandbox,
  clock,
}) => {
  Object.assign(sandbox.quota.minute, { used: 57, openedAt: startTime });
  await run('one', listNow);
  engine.delay = () => clock.sleep(20, never);

  const machines = ['one', 'two', 'three', 'four'];
  const ends = await Promise.all(machines.map((machine) => run(machine, listNow)));

  expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 0, 75, 75]);
  expect(sandbox.requests).toHaveLength(3);
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

const address = `"address":"${shownUrl}"`;

stories(
  'limits',
  `
  say through which store they are shared, and --reset clears it for all
    one: list! < 429 900 => 75
    two: limits => json {"wait":{"reason":"429"},"store":{${address}}}
    two: limits --reset
    one: list!

  of a store that does not answer say so
    store silent
    one: limits => 75; says ${shownUrl}: Command timed out

  leave it out for a run by the variable none
    PETSTORE_SHARED_STORE= one: config set shared-store redis://saved
    store refuses
    PETSTORE_SHARED_STORE=none one: list!
    PETSTORE_SHARED_STORE=none one: config get shared-store --json => json {"value":"none"}

  have none in the sandbox
    store refuses
    PETSTORE_BASE_URL= PETSTORE_API_KEY= one: limits --profile sandbox
`,
);

stories(
  'doctor checks a store that',
  `
  answers
    one: doctor --json --query [8] => json {"check":"shared store","status":"ok","finding":"${shownUrl} answers"}

  answers before there are an address and a key
    PETSTORE_BASE_URL= PETSTORE_API_KEY= one: doctor --json --query [8] => 2; json {"status":"ok","finding":"${shownUrl} answers"}

  is silent
    store silent
    one: doctor --json --query [8] => 75; json {"check":"shared store","status":"fail"}

  refuses the password
    store password
    one: doctor --json --query [8] => 2; json {"check":"shared store","status":"fail"}
`,
);

describe('the address of the store', () => {
  test.for([
    { url: 'redis://h', is: { hostname: 'h', port: 6379, tls: false, database: 0 } },
    { url: 'rediss://h:7000/3', is: { hostname: 'h', port: 7000, tls: true, database: 3 } },
    { url: 'redis://[::1]:7000/', is: { hostname: '::1', port: 7000 } },
    { url: 'redis://u%40x:p%3A%2Fw@h', is: { user: 'u@x', password: 'p:/w' } },
    { url: 'redis://u:p ss@w@h', is: { user: 'u', password: 'p ss@w' } },
    { url: 'redis://:pass@h', is: { user: undefined, password: 'pass' } },
  ])('$url is understood', async ({ url, is }, { machines: { run, addresses } }) => {
    const { exitCode } = await run('one', list, { env: { PETSTORE_SHARED_STORE: url } });

    expect(exitCode).toBe(0);
    expect(addresses).toMatchObject([is]);
  });

  test('comes from the settings where no variable gives it, and is shown without its password', async ({
    machines: { run, addresses },
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, [{ id: 1, name: storePassword }]));
    const options = { env: { PETSTORE_SHARED_STORE: '' } };
    await run('one', ['config', 'set', 'shared-store', storeUrl], options);

    const told = await run('one', ['categories', 'list', '-v'], options);
    await run('one', list, { env: { PETSTORE_SHARED_STORE: 'redis://other' } });
    const get = await run('one', ['config', 'get', 'shared-store'], options);
    const all = await run('one', ['config', 'list', '--json'], options);

    expect(addresses).toMatchObject([{ hostname: 'limits.example' }, { hostname: 'other' }]);
    expect(get.stdout).toBe(`${shownUrl}\n`);
    expect(all.stdout).toContain(shownUrl);
    expect(told.stderr).toContain(`the rate limit is shared through ${shownUrl}`);
  });
});
