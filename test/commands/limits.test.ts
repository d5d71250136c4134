import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { stories } from '../support/story.ts';
import { expectTold } from '../support/told.ts';

stories(
  'limits',
  `
  sends nothing, and says how to get values where none is current
    limits -p production => sent 0; says petstore limits --refresh --profile production
    list
    limits => notices 0
    63s later
    limits => sent 0; notices 1; says no current values

  shows what other commands heard, and our own count
    list
    create rabbit
    limits => sent 0; json {"items":[{"limit":60,"remaining":58,"used":2,"resetAt":"2026-11-20T15:05:00Z","source":"service"},{"used":2,"source":"own count"}]}

  --refresh sends one request
    limits --refresh => sent 1; event {"event":"rate_limit","limit":60,"remaining":59,"resetAt":"2026-11-20T15:05:00Z"}; json {"items":[{"limit":60,"remaining":59,"resetAt":"2026-11-20T15:05:00Z"},{}]}
`,
);

test('a ban that the service tells holds for the next command', async ({ petstore, sandbox }) => {
  const error = { code: 'key_banned', message: 'this key is banned for a while', status: 429 };
  sandbox.reactions.push(reply(429, error, { 'retry-after': '300' }));

  const refused = await petstore('categories list');
  const after = await petstore('categories create rabbit');
  const shown = await petstore('limits');
  const { wait } = (await petstore('limits --json')).json;

  const why = 'the service says your key is banned';
  const until = 'Retry in 5m (2026-11-20T15:09Z). See: petstore limits';
  expect([refused.exitCode, after.exitCode, sandbox.requests.length]).toEqual([75, 75, 1]);
  expect(rounded(after.stderr)).toBe(`petstore: ${why}\nNothing was sent.\n${until}\n`);
  expect(rounded(shown.stderr)).toBe(`petstore: ${why}; next request in 5m (2026-11-20T15:09Z)\n`);
  expectTold(Date.parse(wait.until) - startTime, 300);
  expect(wait).toMatchObject({ reason: 'banned', why });
});

/** Leaves out the seconds of 5m 2s and 15:09:02Z, which may be up to three. */
function rounded(text: string): string {
  return text.replace(/(\dm) [1-3]s/, '$1').replace(/(15:\d\d):0[0-3]Z/, '$1Z');
}
