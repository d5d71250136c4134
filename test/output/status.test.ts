import { describe } from 'vitest';
import { expect, reply } from '../support/petstore.ts';
import { test } from '../support/terminal.ts';
import { never, respondAfter } from '../support/told.ts';
import { interrupted, plans } from '../support/values.ts';

const header = 'id,name,description';
const csv = ['--columns', header, '-o', 'csv', '--no-color'];
const list = ['categories', 'list', ...csv, '--max-wait', 'inf'];
const limitLine = /^rate limit: \d+ of 60 left, resets in .*\(\d\d:\d\d:\d\dZ\)$/;

const refused = (seconds: number, status = 429, code = '') =>
  reply(status, { code, message: 'no', status }, { 'retry-after': `${seconds}` });

describe('a wait on a terminal', () => {
  test.for([
    ['a 429', [refused(45)], /in 3\ds \(15:04:4\dZ\): .*exceeded/, /in 1\ds \(15:04:4\dZ\)/],
    [
      'three 429 in a row',
      [refused(1), refused(1), refused(1)],
      /in 4m 5\ds \(15:09:0\dZ\): .*exceeded.*each wait/,
      /in 4m 3\ds \(15:09:0\dZ\)/,
    ],
    ['a ban', [refused(45, 429, 'banned')], /in 3\ds .*banned/, /in 1\ds/],
    ['a 503 with Retry-After', [refused(45, 503)], /in 3\ds .*unavailable/, /in 1\ds/],
  ] as const)('counts down: %s', async ([, replies, first, later], { watch, sandbox }) => {
    sandbox.reactions.push(...replies);
    const terminal = watch(list, { env: { CI: 'false' } });
    await terminal.shows(/\bin \d/);

    await terminal.pass(10_000);
    await terminal.shows(first);
    await terminal.pass(20_000);
    await terminal.shows(later);

    const { exitCode, screen } = await terminal.end();
    expect(exitCode).toBe(0);
    expect(screen).toEqual([header, expect.stringMatching(limitLine)]);
  });

  test('for a response is shown after a second', async ({ watch, sandbox, clock }) => {
    sandbox.reactions.push(respondAfter(clock, 9_000));
    const terminal = watch(list);
    await terminal.pass(2_000);

    await terminal.shows(/waiting for 127\.0\.0\.1:4010\s*$/);

    const { exitCode, screen } = await terminal.end();
    expect(exitCode).toBe(0);
    expect(screen).toEqual([header, expect.stringMatching(limitLine)]);
  });

  test('ends at once with Ctrl-C', async ({ watch, sandbox, clock }) => {
    sandbox.reactions.push(refused(45));
    const ctrlC = new AbortController();
    const terminal = watch(list, { signal: ctrlC.signal });
    await terminal.shows(/exceeded/);
    const pressedAt = clock.uptime();

    ctrlC.abort(interrupted(130));
    const { exitCode, screen } = await terminal.end();

    expect(exitCode).toBe(130);
    expect(screen[0]).toBe('petstore: interrupted');
    expect(screen.join('\n')).not.toMatch(/exceeded|\bin \d/);
    expect(clock.uptime()).toBe(pressedAt);
  });

  test.for([
    [50, /\(15:04:4\dZ\): rate limit\s*$/],
    [36, /next request in \d+s \(15:04:4\dZ\)\s*$/],
    [35, /next request in \d+s\s*$/],
    [14, /next\s*$/],
  ] as const)('drops words whole in %i columns', async ([columns, ends], { watch, sandbox }) => {
    sandbox.reactions.push(refused(45));
    const terminal = watch(list, { columns });

    await terminal.shows(ends);
    expect((await terminal.end()).exitCode).toBe(0);
  });

  test.for([10, 30])('leaves nothing in %i columns', async (columns, { watch, sandbox }) => {
    sandbox.reactions.push(refused(45));
    const terminal = watch(list, { columns });
    await terminal.shows(/\S/);
    await terminal.pass(5_000);
    const shown = await terminal.shows(/\S/);

    const { screen } = await terminal.end();

    // A line that wraps is not cleared as a whole, and Ctrl-C shows as ^C behind it.
    for (const line of shown.split('\n')) expect(`⠋ ${line}^C`.length).toBeLessThanOrEqual(columns);
    expect(screen[0]?.slice(0, 9)).toBe(header.slice(0, 9));
    expect(screen.join('')).toMatch(/^id,name,description\s*rate *limit: .*\([\d:]+Z\)$/);
  });

  test.for([
    ['in CI', [], { env: { CI: 'true' } }, 2],
    ['on a terminal that only prints', [], { env: { TERM: 'dumb' } }, 2],
    ['on one that tells no width', [], { columns: 0 }, 2],
    ['with --quiet', ['--quiet'], {}, 0],
  ] as const)('gives way to lines %s', async (row, { watch, sandbox }) => {
    const [, argv, options, lines] = row;
    sandbox.reactions.push(refused(45));
    const terminal = watch([...list, ...argv], options);

    expect((await terminal.end()).exitCode).toBe(0);

    // One at its start, and one after 30 s.
    expect(terminal.text().match(/.*15:04:4[5-8]Z.*\n/g) ?? []).toHaveLength(lines);
  });

  test('of less than two seconds is not shown', async ({ watch, petstore, sandbox, clock }) => {
    sandbox.plan = { ...plans.free, minute: { limit: 1, length: 2_000 } };
    await petstore(list);
    await clock.sleep(1_300, never);
    const terminal = watch(['categories', 'list', '--json']);

    const { exitCode, screen } = await terminal.end();

    expect(exitCode).toBe(0);
    expect(screen, 'text on a terminal, whatever the format').toEqual([
      '[]',
      expect.stringMatching(/^rate limit: 0 of 1 left/),
    ]);
    expect(terminal.text()).not.toMatch(/\bin \d+:|next/i);
    expect(clock.uptime() - 7_200_000).toBeGreaterThan(2_000);
  });
});
