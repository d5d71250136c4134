import { startTime } from '../support/clock.ts';
import { test } from '../support/machines.ts';
import { expect, reply } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { listNow, never } from '../support/told.ts';

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
`,
);

test('a request that still connects is not sent if another machine is told to wait', async ({
  machines: { run },
  clock,
  sandbox,
}) => {
  await run('two', ['limits']);
  // Until two may be in flight.
  for (let n = 0; n < 12; n += 1) await run('one', listNow);
  sandbox.connect = () => clock.sleep(5_000, never);
  const first = run('one', listNow);
  await clock.sleep(2_000, never);
  sandbox.connect = async () => {};
  sandbox.reactions.push(reply(429, {}, { 'retry-after': '3600' }));
  const second = await run('two', listNow);

  expect(second.events().at(-1)).toMatchObject({ status: 429 });
  expect((await first).events().at(-1)).toMatchObject({ exitCode: 75, outcome: 'not_sent' });
  expect(sandbox.requests).toHaveLength(13);
});

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
