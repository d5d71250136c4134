import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from './clock.ts';
import { cutBefore } from './import-cases.ts';
import { type Machines, test } from './machines.ts';
import { isFault } from './memory-engine.ts';
import { expect, type Fixtures, networkError, type Reaction } from './petstore.ts';
import { expectTold, loadCommands, never, windowHeaders } from './told.ts';

/**
 * Tests as stories, which blank lines separate: a title, and one step a line. An unknown word fails.
 *
 *     plan 60/min 3/day            what the service allows from now on
 *     each after 2s                an answer that requests meet from now on
 *     draw 0.99                    the random number of all commands
 *     file pets.csv name ant bee   a file of these lines
 *     1m later                     time passes
 *     connect 5s                   how long a connection takes from now on
 *     clock 24h ahead              somebody sets the clock of the machine; or back
 *     store refuses                what the shared store does from now on: see `store` below
 *     list! < 429 30, cut => 75    a command, what its requests meet, and how it ends
 *
 * A command is a command line or a word of `short`. Before it may stand variables (`NAME=VALUE`), `9 x` for so many at once, and the
 * machine that it runs on (`one:`), which knows others through the store alone. `&` behind it: the story goes on meanwhile.
 *
 * An answer is a status with or without Retry-After, and then any of `left 5/60` (or `left 5`, `limit 60`), `for 30s` (the window),
 * `no date`, `after 2s` (before its head) and `slow 2s` (before its body); else it is `cut`, `refused` or `stall`.
 *
 * An end is the exit code, if it is not 0, and facts. `at` (when it is) and `until` (the time that is told) count from the start of the
 * story, and may be three seconds later. `sent`: how many requests; `gaps`: seconds between each and the one before; `flying`: how many
 * were in flight at once; `waits`: the reasons that it told; `notices`: how many; `says`: a part of stderr; `event`, `json`: fields.
 */
export function stories(about: string, text: string): void {
  const rows = text.split(/\n\s*\n/).map((story) => story.trim().split(/\s*\n\s*/));
  describe(about, () => {
    test.for(rows)('%s', async ([, ...steps], { clock, folder, machines, petstore, sandbox }) => {
      await loadCommands({ petstore, folder, clock });
      const fixtures = { clock, folder, machines, petstore, sandbox };
      const own = { next: [], usual: () => undefined, sentAt: [], flying: 0, most: 0, draw: 0.5 };
      const story: Story = { ...fixtures, ...own };
      sandbox.react = () => {
        story.sentAt.push(clock.uptime());
        return story.next.shift() ?? story.usual();
      };
      const behind: Promise<void>[] = [];
      for (const step of steps) {
        const done = play(story, step);
        done.catch(() => {});
        if (/ &( |$)/.test(step)) behind.push(done);
        else await done;
      }
      await Promise.all(behind);
      expect(story.next, 'answers that no request met').toEqual([]);
    });
  });
}

type Story = Pick<Fixtures, 'clock' | 'folder' | 'petstore' | 'sandbox'> & {
  readonly machines: Machines;
  readonly next: Reaction[];
  /** What a request meets if nothing is next. */
  usual: () => Reaction | undefined;
  readonly sentAt: number[];
  flying: number;
  most: number;
  draw: number;
  copy?: ReturnType<Machines['engine']['save']>;
};

const short: Readonly<Record<string, string>> = {
  list: 'categories list --json',
  'list!': 'categories list --json --max-wait 0',
  create: 'categories create --json',
  'create!': 'categories create --json --max-wait 0',
  import: 'categories import --yes --json',
  limits: 'limits --json',
};

const settings: Readonly<Record<string, (story: Story, words: string[]) => unknown>> = {
  plan({ sandbox }, words) {
    const [limit = 0, ofDay = 100_000] = words.map((word) => Number.parseInt(word, 10));
    const minute = { limit, length: msOf('1m') };
    sandbox.plan = { minute, day: { limit: ofDay, length: msOf('24h') } };
  },
  each(story, words) {
    const [answer] = readAnswers(story, words.join(' '));
    story.usual = () => answer;
  },
  draw(story, [number]) {
    story.draw = Number(number);
  },
  connect({ sandbox, clock }, [time]) {
    sandbox.connect = () => clock.sleep(msOf(time), never);
  },
  file: ({ folder }, [name = '', ...lines]) => writeFileSync(join(folder, name), lines.join('\n')),
  clock: ({ clock }, [time, way]) => clock.set(msOf(time) * (way === 'back' ? -1 : 1)),
  store(story, words) {
    const { engine } = story.machines;
    const what = words.join(' ');
    if (what === 'keeps a copy') story.copy = engine.save();
    else if (what === 'restarts with what it had') engine.restore(story.copy);
    else if (what === 'works') engine.fault = undefined;
    else if (isFault(what)) engine.fault = what;
    else throw new Error(`unknown: store ${what}`);
  },
};

async function play(story: Story, step: string): Promise<void> {
  const [word = '', ...words] = step.split(' ');
  if (words[0] === 'later') await story.clock.sleep(msOf(word), never);
  else if (settings[word]) settings[word](story, words);
  else await runCommand(story, step);
}

const command =
  /^((?:[A-Z_]+=\S* )*)(?:(\d+) x )?(?:(\w+): )?(.+?)(?: &)?(?: < (.+?))?(?: => (.+))?$/;

async function runCommand(story: Story, step: string): Promise<void> {
  const [, variables = '', times = 1, machine, words = '', answers = '', end = ''] =
    command.exec(step) ?? [];
  const { folder, machines, petstore, sentAt, draw } = story;
  const [name = '', ...more] = words.replace(/\w+\.csv/, join(folder, '$&')).split(' ');
  const line = [...(short[name] ?? name).split(' '), ...more];
  const env = pairsIn(variables, /(\w+)=(\S*)/g);
  const options = { env, context: { random: () => draw } };
  const before = sentAt.length;
  story.most = 0;
  story.next.push(...split(answers, ', ').flatMap((text) => readAnswers(story, text)));
  const runs = Array.from({ length: Number(times) }, () =>
    machine ? machines.run(machine, line, options) : petstore(line, options),
  );
  const ends = await Promise.all(runs);
  const [code = '', ...facts] = /^\d/.test(end) ? split(end, '; ') : ['0', ...split(end, '; ')];
  for (const end of ends) {
    expect(end.exitCode, `${step}: exit code`).toBe(Number(code));
    for (const fact of facts) expectFact({ ...story, end, before }, fact, step);
  }
}

type Event = Readonly<Record<string, unknown>>;
type Ended = Story & {
  readonly end: Awaited<ReturnType<Fixtures['petstore']>>;
  /** How many requests were sent before. */
  readonly before: number;
};

const facts: Readonly<Record<string, (text: string, ended: Ended) => unknown>> = {
  at: (text, { clock }) => expectTold(clock.service() - startTime, msOf(text) / 1_000),
  until(text, { end }) {
    const isTold = ({ event, resetAt }: Event) => resetAt && event !== 'rate_limit';
    const { resetAt } = end.events().findLast(isTold) ?? {};
    expectTold(Date.parse(String(resetAt)) - startTime, msOf(text) / 1_000);
  },
  sent: (text, { sentAt, before }) => expect(sentAt.length - before).toBe(Number(text)),
  gaps(text, { sentAt, before }) {
    const gaps = sentAt.map((at, n) => Math.round((at - (sentAt[n - 1] ?? 0)) / 1_000));
    expect(gaps.slice(Math.max(1, before)).join(' ')).toBe(text);
  },
  flying: (text, { most }) => expect(most).toBe(Number(text)),
  waits(text, { end }) {
    const waits = end.events().filter(({ event }) => event === 'wait');
    expect(waits.map(({ reason }) => reason).join(' ') || 'none').toBe(text);
  },
  notices(text, { end }) {
    const notices = end.events().filter(({ event }) => event === 'notice');
    expect(notices).toHaveLength(Number(text));
  },
  says: (text, { end }) => expect(end.stderr).toContain(text),
  event: (text, { end }) =>
    expect(end.events()).toContainEqual(expect.objectContaining(JSON.parse(text))),
  json: (text, { end }) => expect(end.json).toMatchObject(JSON.parse(text)),
};

function expectFact(ended: Ended, fact: string, step: string): void {
  const [, word = '', text = ''] = /^(\w+) (.+)$/.exec(fact) ?? [];
  const check = facts[word];
  if (!check) throw new Error(`unknown fact: ${fact}`);
  try {
    check(text, ended);
  } catch (error) {
    throw new Error(`${word} of ${step}: ${error}`, { cause: error });
  }
}

const named: Readonly<Record<string, Reaction>> = {
  cut: cutBefore,
  refused: networkError('ECONNREFUSED'),
  stall: 'stall',
};

function readAnswers(story: Story, text: string): Reaction[] {
  const [, times = 1, what = ''] = /^(?:(\d+) x )?(.*)$/.exec(text) ?? [];
  return Array.from({ length: Number(times) }, () => named[what] ?? readAnswer(story, what));
}

/** Returns an answer of its own, or else that of the service. */
function readAnswer(story: Story, text: string): Reaction {
  const [, status, wait, rest = ''] = /^(?:(\d{3})(?: ([\d.]+))?)? ?(.*)$/.exec(text) ?? [];
  const {
    left,
    limit,
    for: end = '60s',
    no,
    after = '0s',
    slow = '0s',
    ...unknown
  } = pairsIn(rest, /(\w+) (\S+)/g);
  const isOdd = rest !== '' && rest.split(' ').length % 2 > 0;
  if (isOdd || Object.keys(unknown).length > 0) throw new Error(`unknown answer: ${text}`);
  const [remaining, ofLimit] = left?.split('/') ?? [];
  const headers: Record<string, string> = {
    ...(wait && { 'retry-after': wait }),
    ...(remaining && { 'x-ratelimit-remaining': remaining }),
    ...(limit && { 'x-ratelimit-limit': limit }),
    ...(ofLimit && windowHeaders(Number(ofLimit), Number(remaining), msOf(end) / 1_000)),
  };
  if (no) delete headers[no];
  return async ({ onSent }, forward) => {
    const isOwn = status || left || limit;
    if (isOwn) onSent();
    story.flying += 1;
    story.most = Math.max(story.most, story.flying);
    await story.clock.sleep(msOf(after), never);
    story.flying -= 1;
    if (!isOwn) return forward();
    const body = (async function* () {
      await story.clock.sleep(msOf(slow), never);
      yield Buffer.from(Number(status ?? 200) < 300 ? '[]' : '{}');
    })();
    return { status: Number(status ?? 200), headers, body };
  };
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function msOf(text = ''): number {
  const [, number, unit = ''] = /^(-?[\d.]+)([smh])$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`no time: ${text}`);
  return Number(number) * Number(units[unit]);
}

function pairsIn(text: string, pair: RegExp): Record<string, string | undefined> {
  return Object.fromEntries([...text.matchAll(pair)].map(([, ...found]) => found));
}

function split(text: string, by: string): string[] {
  return text === '' ? [] : text.split(by);
}
