import { describe } from 'vitest';
import { cutAfter, pets, put, reactTo } from '../support/import-cases.ts';
import {
  expect,
  type Fixtures,
  networkError,
  outputTo,
  reply,
  testKey,
} from '../support/petstore.ts';
import { test } from '../support/terminal.ts';
import { respondAfter } from '../support/told.ts';
import { plans } from '../support/values.ts';

/** The list and ten creates, and then it waits. */
const smallPlan = { ...plans.free, minute: { limit: 11, length: 60_000 } };

function importArgv(folder: string, rows: number, ...more: string[]): string[] {
  const file = put(folder, pets(rows));
  return ['categories', 'import', file, '--yes', '--no-color', '--max-wait', 'inf', ...more];
}

describe('the progress of an import on a terminal', () => {
  test('is a bar, and then gone', async ({ watch, sandbox, folder }) => {
    sandbox.plan = smallPlan;
    const terminal = watch(importArgv(folder, 21));
    await terminal.shows(/\d of 21/);
    await terminal.pass(10_000);
    await terminal.shows(/██░░░.*\b10 of 21\b[\s\S]*\bin\s+5\d/);
    await terminal.pass(20_000);
    await terminal.shows(/██░░░.*\b10 of 21\b[\s\S]*\bin\s+3\d/);

    const { exitCode, screen } = await terminal.end();

    expect(exitCode).toBe(0);
    expect(screen.join('\n')).not.toMatch(/[█░]|##|21.21|next/i);
  });

  test('stays below all that is said meanwhile', async ({ watch, sandbox, folder }) => {
    sandbox.plan = smallPlan;
    const terminal = watch(importArgv(folder, 12, '--verbose'), { columns: 200 });

    await terminal.shows(/\d of 12/);
    await terminal.pass(500);
    const shown = await terminal.shows(/\b10 of 12\b/);
    const { screen } = await terminal.end();

    expect(shown.split('\n').at(-1)).toMatch(/\b10 of 12\b/);
    expect(shown.match(/^petstore: > #\d+ POST .*\/categories, \d+ bytes$/gm)).toHaveLength(10);
    const traced = screen.join('\n');
    const sent = traced.match(/(?<=^petstore: > #)\d+(?= (GET|POST) .*\/categories)/gm) ?? [];
    expect(sent).toHaveLength(sandbox.requests.length);
    expect(traced.match(/(?<=^petstore: < #)\d+(?= 20[01],)/gm)?.sort()).toEqual(sent.sort());
  });

  test('says how many outcomes are unknown', async ({ watch, sandbox, folder }) => {
    sandbox.plan = plans.business;
    sandbox.react = reactTo('pet 3', cutAfter);
    const terminal = watch(importArgv(folder, 20, '--settle', '45s'));

    await terminal.shows(/\d of 20/);
    await terminal.pass(10_000);
    await terminal.shows(/\b19 of 20\b.*\bin 3\d.*: 1 outcome/);
    expect((await terminal.end()).exitCode).toBe(0);
  });
});

test('what the service says of an outage acts on no terminal, and shows no key', async ({
  watch,
  sandbox,
  folder,
}) => {
  const error = { code: 'x', message: `gone \u001b]0;title\u0007 ${testKey}`, status: 502 };
  let isAway = true;
  sandbox.react = ({ method }) => {
    if (!isAway || sandbox.requests.length === 1) return undefined;
    return method === 'POST' ? networkError('ECONNREFUSED') : reply(502, error);
  };
  const terminal = watch(importArgv(folder, 2), { columns: 200 });

  await terminal.shows(/0 of 2/);
  await terminal.pass(60_000);
  const shown = await terminal.shows(/next try in .*gone/);
  isAway = false;
  await terminal.end();

  expect(shown).toContain('gone \\u{1b}]0;title\\u{7} [key]');
  expect(terminal.text()).not.toContain('\u001b]0');
});

describe('an import in a pipe', () => {
  test.for([
    ['table', 60, [], 3],
    ['json', 60, [], 3],
    ['table', 4, [], 0],
    ['table', 60, ['--quiet'], 0],
  ] as const)(
    'says its progress every 30 s, as %s: %i rows %j',
    async ([format, rows, more, times], { petstore, sandbox, clock, folder }) => {
      // Two are in flight at first, and one more with every tenth response.
      sandbox.react = () => respondAfter(clock, 7_000);

      const argv = importArgv(folder, rows, '-o', format, ...more);
      const { progress } = await listen({ petstore, clock }, argv);

      expect(progress).toHaveLength(times);
      expectEvery(30, progress);
      const numbers = progress.map(numbersIn);
      const done = numbers.map(([done = 0]) => done);
      expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
      expect(numbers.every(([, total]) => total === rows)).toBe(true);
    },
  );

  test.for(['table', 'json'])(
    'says a wait once for all requests and every 30 s, and then the progress, as %s',
    async (format, { petstore, sandbox, clock, folder }) => {
      sandbox.plan = smallPlan;

      const argv = importArgv(folder, 15, '-o', format);
      const { waits, progress } = await listen({ petstore, clock }, argv);

      expect(waits.length).toBeGreaterThan(1);
      expectEvery(30, waits);
      for (const { text } of waits) {
        expect(text).toMatch(/15:05:0[0-3]Z/);
        expect(text).toMatch(/\b11\b/);
        expect(text).toMatch(/\b5 rows left|"left":5\b/);
      }
      expect(progress.map((said) => numbersIn(said).slice(0, 2))).toEqual([[11, 15]]);
    },
  );
});

type Said = { readonly second: number; readonly text: string };

/** Runs an import in a pipe, and returns what it said of waits and of its progress. */
async function listen({ petstore, clock }: Pick<Fixtures, 'petstore' | 'clock'>, argv: string[]) {
  const said: Said[] = [];
  const stderr = outputTo(async (text) => {
    said.push({ second: clock.uptime() / 1_000, text });
  });
  const { exitCode } = await petstore(argv, { context: { stderr } });
  expect(exitCode).toBe(0);
  const wait = /"event":"wait"|^petstore: .*\bin \d[\dms ]* \(.*Z\)/;
  const progress = /"event":"progress"|\d of \d+ rows/;
  return {
    waits: said.filter(({ text }) => wait.test(text)),
    progress: said.filter(({ text }) => progress.test(text)),
  };
}

function expectEvery(seconds: number, said: readonly Said[]): void {
  for (const [n, { second }] of said.slice(1).entries()) {
    const gap = second - Number(said[n]?.second);
    expect(gap).toBeGreaterThanOrEqual(seconds);
    expect(gap).toBeLessThanOrEqual(seconds + 7);
  }
}

const numbersIn = ({ text }: Said) => (text.match(/\d+/g) ?? []).map(Number);
