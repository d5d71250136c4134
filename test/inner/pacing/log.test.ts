import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { createFailoverLog } from '../../../src/pacing/failover.ts';
import { fold } from '../../../src/pacing/fold.ts';
import { emptyLedger, type Ledger } from '../../../src/pacing/ledger.ts';
import { type Log, openFileLog } from '../../../src/pacing/log.ts';
import { logFoldersFor } from '../../../src/pacing/log-folders.ts';
import { type Entry, formatEntry } from '../../../src/pacing/records.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { isPosix } from '../../support/posix.ts';
import { trials } from '../../support/trials.ts';

const ask = (id: string): Entry => ({ k: 'ask', id, at: startTime, lease: startTime + 35_000 });
const answer = (id: string, remaining: number): Entry => ({
  k: 'answer',
  id,
  at: startTime,
  sent: startTime,
  status: 200,
  jitter: 0,
  limit: 100_000,
  remaining,
  reset: startTime + 60_000,
});

const machine = { now: () => startTime, uptime: () => 1_000_000, boot: 'this', random: () => 0 };

/** Grants a slot and ends it, as one request does. */
function spend(log: Log, n: number): void {
  expect(log.append(ask(`id-${n}`)).inFlight).toHaveProperty(`id-${n}`);
  log.append(answer(`id-${n}`, 100_000 - n));
}

describe('the shared log', () => {
  test('tells all who have it open the same, also across its files', ({ folder }) => {
    const logs = [1, 2, 3].map(() => openFileLog(folder, 'scope'));
    for (let n = 1; n <= 2_500; n += 1) spend(logs[n % 3] as Log, n);

    const fresh = openFileLog(folder, 'scope').read();
    for (const log of logs) expect(log.read()).toEqual(fresh);
    expect(fresh.minute?.remaining).toBe(100_000 - 2_500);
    expect(fresh.counted?.requests).toBe(2_500);
    const files = readdirSync(folder);
    expect(files.length).toBeLessThanOrEqual(3);
    expect(files).not.toContain('scope.1.log');
    expect(files.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('has files of 256 KiB', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    for (let n = 1; !readdirSync(folder).includes('scope.2.log'); n += 1) spend(log, n);

    const size = statSync(join(folder, 'scope.1.log')).size / 1_024;
    expect(size).toBeGreaterThan(256);
    expect(size).toBeLessThan(257);
  });

  test('is read from its last sum on by a process that has not read so far', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    const sleeper = openFileLog(folder, 'scope');
    sleeper.read();
    for (let n = 1; n <= 200; n += 1) spend(log, n);
    const path = join(folder, 'scope.1.log');
    const lines = readFileSync(path, 'utf8').split('\n');
    const last = lines.findLastIndex((line) => line.startsWith('{"k":"sum"'));
    const { upTo } = JSON.parse(lines[last] ?? '');
    const before = readFileSync(path).subarray(0, upTo);

    // What the sum is about is not looked at any more.
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(before.length, 'x'), 0, before.length, 0);
    closeSync(file);

    expect(upTo).toBeGreaterThan(statSync(path).size - 4_096);
    for (const each of [log, sleeper, openFileLog(folder, 'scope')]) {
      expect(each.read().counted?.requests).toBe(200);
    }
  });

  test('has a fifth of sums at most, however many requests are in flight', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    const owner = { pid: 4_242, host: 'a-machine-with-a-name', born: 'once' };
    spend(log, 1);
    for (let n = 1; n <= 16; n += 1) log.append({ ...ask(`slow-${n}`), owner } as Entry);
    for (let n = 1; n <= 1_000; n += 1) log.append({ k: 'lost', id: `no-${n}`, at: startTime });

    expect(Object.keys(log.read().inFlight)).toHaveLength(16);
    const lines = readFileSync(join(folder, 'scope.1.log'), 'utf8').split('\n');
    const length = (all: string[]) => all.join('\n').length;
    const sums = lines.filter((line) => line.startsWith('{"k":"sum"'));
    expect(sums.length).toBeGreaterThan(1);
    // The first one comes after 2 KiB, however long it is.
    expect(length(sums.slice(1))).toBeLessThan(length(lines) / 5);
  });

  test('passes over what a killed process left half written, and garbage', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    spend(log, 1);
    for (const bytes of [
      '\n{"k":"ask","id":"x","at":1',
      '\n\u0000\u0001\n',
      '\n[]\n\n{"k":"ledger","ledger":1}\n',
      '\n{"k":"ask","id":7,"at":1,"lease":2}\n',
      `\n${JSON.stringify({ ...ask('x'), owner: { pid: 0, host: 'here' } })}\n`,
      '\n{"k":"nobody"}\n',
    ]) {
      appendFileSync(join(folder, 'scope.1.log'), bytes);
    }
    spend(log, 2);

    expect(log.read().inFlight).toEqual({});
    expect(openFileLog(folder, 'scope').read()).toEqual(log.read());
  });

  test('adds up to the same for all, whoever wrote and looked when', ({ folder }) => {
    const who = fc.nat({ max: 2 });
    const endless = formatEntry(ask('endless')).trimEnd();
    const step = fc.oneof(
      fc.record({ who, lines: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ who, lines: fc.constant(0) }),
      // Torn by a kill, a line that lacks its end alone, garbage, and enough of it that the file is full.
      fc.constantFrom('\n{"k":"ask"', endless, '\n[]\n', `\n${'x'.repeat(270_000)}\n`),
    );
    let runs = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        runs += 1;
        const name = `scope${runs}`;
        const logs = [1, 2, 3].map(() => openFileLog(folder, name));
        const said: Entry[] = [];
        let ending = false;
        for (const step of steps) {
          if (typeof step === 'string') {
            const newest = readdirSync(folder)
              .filter((file) => file.startsWith(`${name}.`))
              .sort((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]))
              .at(-1);
            appendFileSync(join(folder, newest ?? ''), step);
            if (ending) said.push(ask('endless'));
            ending = step === endless;
            continue;
          }
          const log = logs[step.who] as Log;
          const lines = Array.from({ length: step.lines }, (_, n) =>
            n % 2 === 0 ? ask(`id-${said.length + n}`) : answer(`id-${said.length + n - 1}`, 9_000),
          );
          if (ending && lines.length > 0) {
            said.push(ask('endless'));
            ending = false;
          }
          said.push(...lines);
          const after = lines.length > 0 ? log.append(...lines) : log.read();
          expect(after).toEqual(said.reduce(fold, emptyLedger));
          expect(openFileLog(folder, name).read()).toEqual(after);
        }

        const whole = said.reduce(fold, emptyLedger);
        for (const log of logs) expect(log.read()).toEqual(whole);
        expect(openFileLog(folder, name).read()).toEqual(whole);
      }),
      trials(150),
    );
  });

  test('passes over what it wrote itself and no reader would believe', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    spend(log, 1);
    log.append({ ...ask('x'), at: Number.POSITIVE_INFINITY } as Entry);
    spend(log, 2);

    expect(openFileLog(folder, 'scope').read()).toEqual(log.read());
  });

  test.skipIf(!isPosix)(
    'lives on when it is deleted under its users: what they know is kept',
    ({ folder }) => {
      const log = openFileLog(folder, 'scope');
      spend(log, 1);
      rmSync(join(folder, 'scope.1.log'));
      spend(log, 2);

      expect(openFileLog(folder, 'scope').read().counted?.requests).toBe(2);
    },
  );

  test('finds its way after many files went by while it slept', ({ folder }) => {
    const sleeper = openFileLog(folder, 'scope');
    spend(sleeper, 1);
    const busy = openFileLog(folder, 'scope');
    for (let n = 2; n <= 3_000; n += 1) spend(busy, n);

    spend(sleeper, 3_001);

    expect(sleeper.read()).toEqual(busy.read());
    expect(busy.read().counted?.requests).toBe(3_001);
  });

  test('goes on in memory, with what it knows, when the disk fails', ({ folder }) => {
    let failures = 0;
    const disk = openFileLog(folder, 'scope');
    let full = false;
    const fragile: Log = {
      ...disk,
      append(entry) {
        if (full) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        return disk.append(entry);
      },
    };
    const log = createFailoverLog(machine, [{ path: folder, open: () => fragile }], () => {
      failures += 1;
    });
    spend(log, 1);
    full = true;
    spend(log, 2);
    spend(log, 3);

    expect(log.read().counted?.requests).toBe(3);
    expect(failures).toBe(1);
  });

  test('moves to the next place when the disk of the first is full, and all meet there', ({
    folder,
  }) => {
    const full = openFileLog(folder, 'first');
    spend(full, 1);
    const first = (): Log => ({
      ...full,
      append() {
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      },
    });
    const places = [
      { path: 'first', open: first },
      { path: 'second', open: (known: Ledger) => openFileLog(folder, 'second', known) },
    ];
    const moves: unknown[] = [];
    const logs = [1, 2, 3].map(() =>
      createFailoverLog(machine, places, (...move) => moves.push(move)),
    );

    logs.forEach((log, n) => {
      log.read();
      spend(log, n + 2);
    });

    for (const log of logs) expect(log.read().counted?.requests).toBe(4);
    const reason = expect.objectContaining({ code: 'ENOSPC' });
    expect(moves).toEqual([1, 2, 3].map(() => [reason, 'first', 'second']));
  });

  test.skipIf(!isPosix)('survives its own folder being deleted', ({ folder }) => {
    const place = join(folder, 'limits');
    const open = (known?: Ledger) => {
      mkdirSync(place, { recursive: true });
      return openFileLog(place, 'scope', known);
    };
    const log = createFailoverLog(machine, [{ path: place, open }], () => expect.unreachable());
    spend(log, 1);
    rmSync(place, { recursive: true });
    spend(log, 2);

    expect(open().read().counted?.requests).toBe(2);
  });

  test('counts no line behind the first MiB of a file, for whoever looks when', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    spend(log, 1);
    const other = openFileLog(folder, 'scope');
    const path = join(folder, 'scope.1.log');
    appendFileSync(path, `\n${'x'.repeat(1024 * 1024)}\n`);
    appendFileSync(path, formatEntry({ k: 'clear', at: startTime }));
    spend(log, 2);

    const late = openFileLog(folder, 'scope');
    for (const each of [log, other, late]) {
      expect(each.read()).toMatchObject({ counted: { requests: 2 } });
      expect(each.read()).not.toHaveProperty('cleared');
    }
    expect(readdirSync(folder)).toContain('scope.2.log');
  });

  test('survives its file being cut short', ({ folder }) => {
    const log = openFileLog(folder, 'scope');
    spend(log, 1);
    truncateSync(join(folder, 'scope.1.log'));
    spend(log, 2);

    expect(log.read().counted?.requests).toBe(2);
    expect(openFileLog(folder, 'scope').read()).toEqual(log.read());
  });
});

describe('its place', () => {
  const uid = process.getuid?.();

  test('tells neither address nor key, and differs with either', ({ folder }) => {
    for (const identity of [
      'https://a.example/v1\0key-one',
      'https://a.example/v1\0key-two',
      'https://b.example/v1\0key-one',
    ]) {
      const places = logFoldersFor(
        { uid, platform: 'linux', temporary: '/proc/nowhere' },
        folder,
        identity,
      );
      createFailoverLog(machine, places, () => expect.unreachable()).read();
    }

    const names = readdirSync(join(folder, 'limits')).filter((name) => name.endsWith('.log'));
    expect(names).toHaveLength(3);
    for (const name of names) {
      expect(name).toMatch(/^[0-9a-f]{16}\.1\.log$/);
      expect(readFileSync(join(folder, 'limits', name), 'utf8')).not.toMatch(/key|example/);
    }
    expect(readFileSync(join(folder, 'limits', 'salt'))).toHaveLength(32);
  });
});
