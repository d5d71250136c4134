import { describe } from 'vitest';
import { bootOf } from '../../../src/disk/owner.ts';
import { startTime } from '../../support/clock.ts';
import { expect, networkError, reply, test } from '../../support/petstore.ts';

const list = ['categories', 'list', '--max-wait', 'inf'];
const never = new AbortController().signal;
const refuse = (seconds: number) => reply(429, '', { 'retry-after': String(seconds) });

/** What a process on a system that has no name for a start of the machine says of it. */
const unnamed = () =>
  bootOf(0, 0, () => {
    throw networkError('ENOENT');
  });

describe('on a system that has no name for a start of the machine', () => {
  test.for([
    { set: 'forward by 700 s', by: 700_000 },
    { set: 'back by 700 s', by: -700_000 },
    { set: 'back by a day', by: -86_400_000 },
  ])(
    'a clock that is set $set makes the wait of another process neither shorter nor longer',
    async ({ by }, { petstore, sandbox, clock }) => {
      sandbox.reactions.push(refuse(600));
      await petstore([...list, '--max-wait', '0'], { context: { boot: unnamed() } });
      clock.set(by);

      await petstore(list, { context: { boot: unnamed() } });

      expect(Math.floor((clock.service() - startTime) / 1_000)).toBe(601);
      expect(sandbox.requests).toHaveLength(2);
    },
  );

  test.for([
    { when: 'sooner than at the refusal', up: 60_000 },
    { when: 'longer than at the refusal', up: 2.5 * 3_600_000 },
  ])(
    'a wait ends as told when the machine was started anew and has run $when',
    async ({ up }, { petstore, sandbox, clock }) => {
      sandbox.reactions.push(refuse(3 * 3_600));
      await petstore([...list, '--max-wait', '0'], { context: { boot: unnamed() } });
      await clock.sleep(2.9 * 3_600_000, never);
      const anew = clock.uptime();

      const uptime = () => clock.uptime() - anew + up;
      await petstore(list, { context: { boot: unnamed(), uptime } });

      expect(Math.floor((clock.service() - startTime) / 1_000)).toBe(10_801);
    },
  );
});

describe('a line that is written long after it was begun', () => {
  test('makes no wait shorter, also where it comes from another start of a machine', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    await petstore(list);
    let stopped = false;
    sandbox.reactions.push((_request, forward) => {
      stopped = true;
      return forward();
    });
    const turn = () => (stopped ? clock.sleep(60_000, never) : Promise.resolve());
    const late = petstore(list, { context: { boot: 'other', turn } });
    await clock.sleep(30_000, never);
    sandbox.reactions.push(refuse(100));

    await Promise.all([late, petstore(list)]);

    expect(Math.floor((clock.service() - startTime) / 1_000)).toBe(131);
    expect(sandbox.requests).toHaveLength(4);
  });
});

describe('the name of a start of the machine', () => {
  const readBoot = () => '0123abcd';

  test('is the same for all processes that have the uptime of the machine, in any container', () => {
    const host = bootOf(5_000, 4_000_000, readBoot);

    expect(bootOf(6_000, 5_000_000, readBoot)).toBe(host);
    expect(bootOf(6_000, 5_000_000, () => '4567abcd')).not.toBe(host);
  });

  test('is of the container alone where that has an uptime of its own', () => {
    const host = bootOf(5_000, 4_000_000, readBoot);

    expect(bootOf(100, 4_000_000, readBoot)).not.toBe(host);
  });
});
