import { describe } from 'vitest';
import { inBatches } from '../../../src/pacing/batch.ts';
import { fold } from '../../../src/pacing/fold.ts';
import { emptyLedger } from '../../../src/pacing/ledger.ts';
import type { Log } from '../../../src/pacing/log.ts';
import type { Entry } from '../../../src/pacing/records.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

const ask = (id: string): Entry => ({ k: 'ask', id, at: startTime, lease: startTime + 35_000 });

/** A log that counts what is done with it; `pass` ends a turn of the event loop. */
function countingLog() {
  const steps: string[] = [];
  const faults: Error[] = [];
  let ledger = emptyLedger;
  const log: Log = {
    read() {
      steps.push('look');
      return ledger;
    },
    append(...entries) {
      steps.push(`write ${entries.map((entry) => ('id' in entry ? entry.id : '')).join(' ')}`);
      const fault = faults.pop();
      if (fault) throw fault;
      ledger = entries.reduce(fold, ledger);
      return ledger;
    },
  };
  let pass = () => {};
  const turn = () =>
    new Promise<void>((resolve) => {
      pass = resolve;
    });
  return {
    steps,
    shared: inBatches(log, { turn, now: () => startTime, uptime: () => 0, boot: 'this' }),
    pass: () => pass(),
    fail: (fault: Error) => faults.push(fault),
  };
}

describe('what a process says and asks at a time', () => {
  test('is one write in the order it was said, and all hear what it comes to', async () => {
    const { steps, shared, pass } = countingLog();
    // Nobody knows the limit: the first finds out, the second has to wait.
    const heard = [shared.append(ask('a')), shared.read(), shared.append(ask('b'))];
    expect(steps).toEqual([]);
    pass();

    for (const ledger of await Promise.all(heard)) {
      expect(Object.keys(ledger.inFlight)).toEqual(['a']);
    }
    expect(steps).toEqual(['write a b']);
  });

  test('is one look when nothing is said', async () => {
    const { steps, shared, pass } = countingLog();
    const heard = [shared.read(), shared.read()];
    pass();
    await Promise.all(heard);

    expect(steps).toEqual(['look']);
  });

  test('fails for all when it cannot be written, and what comes next is a step of its own', async () => {
    const { steps, shared, pass, fail } = countingLog();
    const heard = [shared.append(ask('a')), shared.read()];
    fail(new Error('the disk is full'));
    pass();
    const ends = await Promise.allSettled(heard);
    const next = shared.append(ask('b'));
    pass();

    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(Object.keys((await next).inFlight)).toEqual(['b']);
    expect(steps).toEqual(['write a', 'write b']);
  });

  test('is known without another look until that turn ends', async () => {
    const { steps, shared, pass } = countingLog();
    const first = shared.append(ask('a'));
    pass();
    await first;

    expect((await shared.read()).inFlight).toHaveProperty('a');
    expect(steps).toEqual(['write a']);
  });

  test('is not known while more of it is yet to be written', async () => {
    const { steps, shared, pass } = countingLog();
    const first = shared.append(ask('a'));
    pass();
    await first;
    const second = [shared.append({ k: 'unsent', id: 'a', at: startTime }), shared.read()];
    pass();

    for (const ledger of await Promise.all(second)) expect(ledger.inFlight).toEqual({});
    expect(steps).toEqual(['write a', 'write a']);
  });

  test('begins anew afterwards', async () => {
    const { steps, shared, pass } = countingLog();
    const first = shared.append(ask('a'));
    pass();
    await first;
    pass();
    await Promise.resolve();
    const second = shared.read();
    pass();

    expect((await second).inFlight).toHaveProperty('a');
    expect(steps).toEqual(['write a', 'look']);
  });
});
