import { describe } from 'vitest';
import { createFailoverLog } from '../../../src/pacing/failover.ts';
import { emptyLedger } from '../../../src/pacing/ledger.ts';
import { type Log, openFileLog } from '../../../src/pacing/log.ts';
import type { Entry } from '../../../src/pacing/records.ts';
import { startTime } from '../../support/clock.ts';
import { expect, networkError, test } from '../../support/petstore.ts';

const ask = (id: string): Entry => ({ k: 'ask', id, at: startTime, lease: startTime + 35_000 });
const answer = (id: string): Entry => ({
  k: 'answer',
  id,
  at: startTime,
  sent: startTime,
  status: 200,
  jitter: 0,
});
const refused = (id: string, wait: number): Entry => ({
  k: 'refused',
  id,
  at: startTime,
  sent: startTime,
  wait,
  jitter: 0,
});
const context = { now: () => startTime, uptime: () => 1_000_000, boot: 'this', random: () => 0 };

/** A log whose disk is full from the third write on. */
function fillingUp(log: Log): Log {
  let writes = 0;
  return {
    ...log,
    append(...entries) {
      writes += 1;
      if (writes > 2) throw networkError('ENOSPC');
      return log.append(...entries);
    },
  };
}

describe('a log that moves to another place', () => {
  /** A process that is told to wait where it is, and then has to move. */
  function move(folder: string, name: string, wait: number, second: () => Log) {
    const first = fillingUp(openFileLog(folder, name));
    const places = [
      { path: folder, open: () => first },
      { path: folder, open: second },
    ];
    const log = createFailoverLog(context, places, () => {});
    log.append(ask(name));
    log.append(refused(name, wait));
    log.append(ask(`${name} again`));
    return log;
  }

  test('takes a told wait along, also to a place that was used before', ({ folder }) => {
    const used = openFileLog(folder, 'second');
    used.append(ask('before'), answer('before'));

    const moved = move(folder, 'first', 60_000, () => openFileLog(folder, 'second'));

    for (const log of [moved, used, openFileLog(folder, 'second')]) {
      expect(log.read().block?.until).toBeGreaterThanOrEqual(startTime + 60_000);
    }
    expect(used.read().counted?.requests).toBe(1);
  });

  test('keeps the wait there that is longer', ({ folder }) => {
    const used = openFileLog(folder, 'second');
    used.append(ask('before'), refused('before', 600_000));

    move(folder, 'first', 60_000, () => openFileLog(folder, 'second'));

    expect(used.read().block?.until).toBeGreaterThanOrEqual(startTime + 600_000);
  });

  test('loses no wait when another process moves there at the same time', ({ folder }) => {
    const slow = () => {
      const log = openFileLog(folder, 'second');
      let looked = false;
      return {
        ...log,
        read() {
          const seen = log.read();
          if (!looked) move(folder, 'other', 600_000, () => openFileLog(folder, 'second'));
          looked = true;
          return seen;
        },
      };
    };

    move(folder, 'first', 60_000, slow);

    const { block } = openFileLog(folder, 'second').read();
    expect(block?.until).toBeGreaterThanOrEqual(startTime + 600_000);
  });

  test('begins a new place with all that it knows', ({ folder }) => {
    let known = emptyLedger;
    const first = fillingUp(openFileLog(folder, 'first'));
    const places = [
      { path: folder, open: () => first },
      {
        path: folder,
        open(ledger: typeof emptyLedger) {
          known = ledger;
          return openFileLog(folder, 'second', ledger);
        },
      },
    ];
    const log = createFailoverLog(context, places, () => {});
    log.append(ask('a'));
    log.append(answer('a'));
    log.append(ask('b'));

    expect(known.counted?.requests).toBe(1);
    expect(openFileLog(folder, 'second').read()).toEqual(log.read());
    expect(log.read().counted?.requests).toBe(1);
  });
});
