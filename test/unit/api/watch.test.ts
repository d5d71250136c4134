import { describe } from 'vitest';
import { createWatch } from '../../../src/api/watch.ts';
import type { Clock } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

/** A watch of 30 s on attempts that note what ends them, and when. */
function createWatched(clock: Clock) {
  const run = new AbortController();
  const start = clock.uptime();
  const ends: string[] = [];
  const watch = createWatch({ ...clock, signal: run.signal }, 30_000);
  const begin = (name: string) =>
    watch({
      tooLate: () => ends.push(`${name} too late after ${(clock.uptime() - start) / 1_000} s`),
      interrupted: () => ends.push(`${name} interrupted`),
    });
  const pass = (seconds: number) => clock.sleep(seconds * 1_000, new AbortController().signal);
  return { ends, begin, pass, interrupt: () => run.abort() };
}

describe('the watch over attempts', () => {
  test('gives each one its own time', async ({ clock }) => {
    const { ends, begin, pass } = createWatched(clock);
    begin('first');
    await pass(10);
    const endSecond = begin('second');
    begin('third');
    await pass(15);
    endSecond();
    await pass(60);
    begin('fourth');
    await pass(60);

    expect(ends).toEqual([
      'first too late after 30 s',
      'third too late after 40 s',
      'fourth too late after 115 s',
    ]);
  });

  test('lets go of its timer when all have ended, and watches the next all the same', async ({
    clock,
  }) => {
    const { ends, begin, pass } = createWatched(clock);
    const endFirst = begin('first');
    begin('second')();
    endFirst();
    const release = clock.hold();
    begin('third');
    release();
    await pass(31);

    expect(ends).toEqual(['third too late after 30 s']);
    expect(clock.slept).toEqual([30_000, 31_000]);
  });

  test('tells those of an interruption that have not ended, and those that begin after it', ({
    clock,
  }) => {
    const { ends, begin, interrupt } = createWatched(clock);
    begin('ended')();
    begin('first');
    begin('second');
    interrupt();
    begin('third');

    expect(ends).toEqual(['first interrupted', 'second interrupted', 'third interrupted']);
  });
});
