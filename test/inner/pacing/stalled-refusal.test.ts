import { describe } from 'vitest';
import { sendOnce } from '../../../src/api/send.ts';
import type { Context } from '../../../src/context.ts';
import { gate } from '../../../src/pacing/gate.ts';
import { openFileLog } from '../../../src/pacing/log.ts';
import type { Entry } from '../../../src/pacing/records.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

describe('a response that tells to wait and whose body stalls', () => {
  test.for([
    { status: 429, kind: 'refused', ending: 'the answer' },
    { status: 503, kind: 'answer', ending: 'the answer' },
    { status: 429, kind: 'refused', ending: 'a broken connection' },
  ])(
    '$status is in the log when its head has arrived, once, though $ending ends it',
    async ({ status, kind, ending }, { folder, clock }) => {
      const { signal } = new AbortController();
      const log = openFileLog(folder, 'scope');
      const entries: Entry[] = [];
      const recording = {
        read: log.read,
        append(entry: Entry) {
          entries.push(entry);
          return log.append(entry);
        },
      };
      const context = {
        ...clock,
        boot: 'this-one',
        random: () => 0.5,
        signal,
        owner: { pid: 4242, host: 'here' },
        isRunning: () => true,
        async send({ onSent, signal }) {
          onSent();
          return {
            status,
            headers: { 'retry-after': '60' },
            body: (async function* () {
              yield Buffer.from('{');
              if (ending === 'a broken connection') throw new Error('broken');
              await clock.sleep(100_000, signal);
            })(),
          };
        },
      } satisfies Partial<Context> as Partial<Context> as Context;
      const exchange = gate(sendOnce(context, 30_000), context, {
        log: recording,
        report: () => {},
        timeout: 30_000,
      });
      let block: unknown;
      const look = () => {
        block = log.read().block;
      };
      if (ending === 'the answer') void clock.sleep(100, signal).then(look);

      const answer = await exchange({
        operation: 'GET /categories',
        method: 'GET',
        url: new URL('https://pets.example/v1/categories'),
        headers: {},
        body: undefined,
        maxBytes: 1_000,
        waitUntil: Number.POSITIVE_INFINITY,
      });

      expect(answer.status).toBe(status);
      expect(entries.map(({ k }) => k)).toEqual(['ask', kind]);
      if (ending === 'the answer') {
        expect(block).toMatchObject({ since: startTime, until: startTime + 61_125 });
        expect(clock.now()).toBe(startTime + 2_000);
      }
    },
  );
});
