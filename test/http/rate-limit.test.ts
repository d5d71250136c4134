import fc from 'fast-check';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, type Reaction, reply, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';
import { stories } from '../support/story.ts';
import { expectTold, list, listNow, windowHeaders } from '../support/told.ts';
import type { WireAnswer } from '../support/values.ts';

const seconds = startTime / 1_000;
const day = 86_400;
const { date } = windowHeaders(60, 0);
const hourAhead = (inSeconds: number) =>
  new Date(startTime + 3_600_000 + inSeconds * 1_000).toUTCString();
/** Ten seconds before the dates below. */
const in1994 = 'Sun, 06 Nov 1994 08:49:27 GMT';

/** An answer whose headers a Response would not take. */
function refusal(headers: WireAnswer['headers']): Reaction {
  return async ({ onSent }) => {
    onSent();
    return { status: 429, headers, body: (async function* () {})() };
  };
}

describe('the headers of a 429', () => {
  test('tell a wait in any form', async ({ petstore, sandbox, clock, folder }) => {
    const rows: readonly (readonly [told: number, wait: string | string[], date?: string])[] = [
      [2, '1.2'],
      [1, '0'],
      [1, '-5'],
      [1, ''],
      [60, 'soon'],
      [60, '900s'],
      [60, '9'.repeat(20)],
      [1, []],
      [9, '3, 9'],
      [60, ['soon', '4']],
      [3_000_000, '3000000'],
      [30, `${seconds + 30}`],
      [31, `${seconds + 30}.75`],
      [30, `${startTime + 30_000}`],
      [10, hourAhead(10), hourAhead(0)],
      [10, 'Sun, 06 Nov 1994 08:49:37 GMT', in1994],
      [60, 'Sunday, 06-Nov-94 08:49:37 GMT', in1994],
      [60, 'Sun, 31 Feb 1994 08:49:37 GMT', in1994],
      [60, 'Sun, 06 Nov 1994 25:49:37 GMT', in1994],
      [60, 'Sun, 06 Nov 1994 08:49:37 UTC', in1994],
      [60, 'Sun, 06 Nov 1994 08:49:37 +0000', in1994],
      [60, '1994-11-06T08:49:37Z', in1994],
      [60, 'after 2099', in1994],
    ];
    for (const [n, [told, wait, sentAt = date]] of rows.entries()) {
      sandbox.reactions.push(refusal({ date: sentAt, 'retry-after': wait }));
      const env = { PETSTORE_STATE_DIR: `${folder}/${n}` };

      const maxWait = told > 1_000 ? '2m' : '0';
      const result = await petstore([...list, '--max-wait', maxWait], { env });

      const error = result.events().at(-1);
      expect(error, String(wait)).toMatchObject({ exitCode: 75, outcome: 'refused' });
      expectTold(Number(error?.retryAfter) * 1_000, told);
    }
    expect(clock.now()).toBe(startTime);
    expect(sandbox.requests).toHaveLength(rows.length);
  });

  test('with any value at all give a wait that begins and ends', async ({
    petstore,
    sandbox,
    clock,
    folder,
  }) => {
    const anyHeader = fc.oneof(
      fc.integer({ min: 0, max: 100 }).map(String),
      fc.integer({ min: seconds - 100, max: seconds + 100 }).map(String),
      fc.string({ unit: 'binary' }),
      fc.integer().map(String),
      fc.double().map(String),
      fc.bigInt({ min: 0n }).map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    const headers = fc.record({
      date: anyHeader,
      'x-ratelimit-limit': anyHeader,
      'x-ratelimit-remaining': anyHeader,
      'x-ratelimit-reset': anyHeader,
      'retry-after': anyHeader,
    });
    let trial = 0;
    const holds = fc.asyncProperty(headers, async (headers) => {
      trial += 1;
      const env = { PETSTORE_STATE_DIR: `${folder}/${trial}` };
      sandbox.reactions.push(refusal(headers));
      const { events, exitCode } = await petstore(listNow, { env });
      const { json } = await petstore('limits --json', { env });

      expect(exitCode).toBe(75);
      const retryAfter = Number(events().at(-1)?.retryAfter);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(366 * day + 3);
      for (const { limit, remaining, resetAt } of json.items) {
        if (resetAt === undefined) continue;
        expect(remaining).toBeGreaterThanOrEqual(0);
        expect(remaining).toBeLessThanOrEqual(limit);
        // It is told in whole seconds.
        const inSeconds = (Date.parse(resetAt) - clock.now()) / 1_000;
        expect(inSeconds).toBeGreaterThan(-1);
        expect(inSeconds).toBeLessThanOrEqual(25 * 3_600 + 3);
      }
    });
    await fc.assert(holds, trials(150));
  });
});

test.for<[told: number | undefined, reset: string | number]>([
  [30, 30],
  [30, seconds + 30],
  [30, `${seconds + 29}.372805`],
  [30, startTime + 30_000],
  [0, seconds - 3],
  [undefined, seconds - 60],
  [undefined, seconds + 2 * day],
  [undefined, '253402300799'],
  [undefined, 'tomorrow'],
])(
  'a reset in %s s may stand in any unit, or else counts for nothing: %s',
  async (row, { petstore, sandbox }) => {
    const [told, reset] = row;
    const headers = { ...windowHeaders(60, 5), 'x-ratelimit-reset': String(reset) };
    sandbox.reactions.push(reply(200, [], headers));

    const [limit] = (await petstore(list)).events();

    const resetAt = told === undefined ? undefined : startTime + told * 1_000;
    expect(limit && Date.parse(String(limit.resetAt))).toBe(resetAt);
  },
);

stories(
  'what a refusal means for a request:',
  `
  after a 429 a create is sent again, since it was refused before it was handled
    create rabbit < 429 5 => sent 2; at 5s

  after a 403 with Retry-After, too
    create rabbit < 403 5 => sent 2; at 5s

  a create that was refused, and could not connect after that, is told as refused
    each refused
    create rabbit < 429 5 => 5; event {"outcome":"refused","status":429}

  a read waits as long as a 500 says, and no response makes it wait longer than --max-wait
    list --max-wait 1m < 500 10 => at 10s; sent 2
    list --max-wait 1m < 500 300 => 5; sent 1
    list --max-wait 1m < 503 300 => 75; sent 1

  four 503 with Retry-After in a row end a read with the time
    list < 4 x 503 1 => 75; sent 4; event {"kind":"rate_limited","retryAfter":1,"status":503}

  a 503 with Retry-After leaves a create unknown: it is not sent again, and others wait
    create rabbit & < 503 90 => 6; event {"kind":"outcome_unknown","outcome":"unknown"}
    1s later
    list => at 90s; sent 1

  a limit that is known to be used up is not run into: the second request of a command waits
    create rabbit --if-missing < left 0/60 for 40s => at 40s; sent 2
`,
);
