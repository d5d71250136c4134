import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { pets, put } from '../support/import-cases.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { expectTold, list, listNow, never } from '../support/told.ts';
import { plans } from '../support/values.ts';

stories(
  'a clock that is set makes no wait shorter or longer, and its end is told by the new time:',
  `
  a told wait, forward
    list & < 429 60 => at 60s; until 1441m
    20s later
    clock 24h ahead

  a told wait, back
    list & < 429 60 => at 60s; until -1439m
    20s later
    clock 24h back

  the end of a window
    plan 1/min
    create emu --if-missing & => at 60s; until 1441m
    20s later
    clock 24h ahead

  a pause before another attempt
    list & < 502 60 => at 60s; until -1439m
    20s later
    clock 24h back

  the settle time of a create
    create emu & < cut => 6; at 60s; until 1441m
    20s later
    clock 24h ahead

  a response that does not come
    create emu --timeout 40s & < stall => 6; at 100s
    20s later
    clock 24h back
`,
);

describe('a clock that is set', () => {
  test.for([
    ['forward', 86_400_000],
    ['back', -86_400_000],
  ] as const)(
    '%s in the midst of an import changes nothing of its pace, nor of what is said of it',
    async ([, by], { clock, petstore, sandbox, folder }) => {
      const sentAt: number[] = [];
      sandbox.plan = { ...plans.free, minute: { limit: 5, length: 60_000 } };
      sandbox.react = () => void sentAt.push(clock.service() - startTime);
      const path = put(folder, pets(12));

      const run = petstore(['categories', 'import', path, '--yes', '--max-wait', '10m']);
      await clock.sleep(20_000, never);
      clock.set(by);
      const { exitCode, stderr } = await run;

      expect(exitCode).toBe(0);
      // A list, twelve rows and another list: five in each minute, none of which was refused.
      const minutes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2];
      expect(sentAt.map((at) => Math.floor(at / 61_000))).toEqual(minutes);
      const waits = [...stderr.matchAll(/next request in (.+?) \(/g)].map(([, time]) => time);
      for (const wait of waits) expect(wait).toMatch(/^([1-5]?\ds|1m( 1s)?)$/);
      const paces = stderr.match(/^petstore: \d+ of 12 rows.*$/gm) ?? [];
      expect(Math.min(waits.length, paces.length)).toBeGreaterThan(0);
      for (const pace of paces)
        expect(pace).toMatch(/rows(, about (2m|1m|(1m )?[1-5]?\ds) left)?$/);
    },
  );

  test('after a restart of the machine does not shorten a told wait', async ({
    clock,
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(429, {}, { 'retry-after': '60' }));
    await petstore(listNow);
    const restart = clock.uptime();

    const context = { boot: 'next', uptime: () => clock.uptime() - restart };
    const run = petstore(list, { context });
    await clock.sleep(20_000, never);
    clock.set(3_600_000);
    await run;

    expectTold(clock.service() - startTime, 60);
  });
});
