import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe } from 'vitest';
import { cutBefore } from '../support/import-cases.ts';
import {
  test as base,
  expect,
  type Reaction,
  type RunOptions,
  reply,
  silence,
} from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { stateFiles } from '../support/state-files.ts';
import { expectTold } from '../support/told.ts';
import { interrupted } from '../support/values.ts';

const create = (name: string) => ['categories', 'create', name, '--if-missing', '--json'];
const settled = expect.objectContaining({ event: 'wait', reason: 'settle', waitMs: 60_000 });
const dayMs = 86_400_000;

/** A process of its own on this machine; those before it have ended. */
const as = (pid: number): RunOptions => ({
  context: { owner: { pid, host: 'here', born: 'once' }, isRunning: (other) => other.pid >= pid },
});

/** Has process 1 killed when its create has arrived. `mark` is the file that it leaves. */
const killedAt = (reaction: Reaction) =>
  base.extend<{ mark: string }>({
    mark: async ({ petstore, sandbox, folder }, use) => {
      const end = new AbortController();
      const { signal } = end;
      sandbox.reactions.push(reply(200, []), reaction);
      const run = petstore([...create('rabbit'), '--timeout', '1000h'], { ...as(1), signal });
      while (sandbox.requests.length < 2) await new Promise(setImmediate);
      sandbox.requests.length = 0;
      const [mark] = stateFiles(folder).filter(({ text }) => text.includes('"creating"'));
      await use(mark?.path ?? 'none');
      end.abort(interrupted(143));
      await run;
    },
  });
const test = killedAt('stall');
const testCreated = killedAt(async (_request, forward) => {
  for await (const _ of (await forward()).body);
  return silence;
});

// Windows removes no files that are open.
describe.skipIf(!isPosix)('a create with --if-missing of a name whose creator was killed', () => {
  test('waits once for what may still be carried out, and creates it if the list lacks it then', async ({
    petstore,
    sandbox,
    clock,
    mark,
  }) => {
    const start = clock.uptime();
    const second = await petstore(create('rabbit'), as(2));
    const waited = clock.uptime() - start;
    const third = await petstore(create('Rabbit'), as(3));

    expect(second.exitCode).toBe(0);
    expect(second.events().slice(0, 2)).toEqual([
      {
        event: 'notice',
        message: expect.stringMatching(/may have created the same name: checking .* in 60s$/),
      },
      settled,
    ]);
    expectTold(waited, 60);
    expect(third.events()).not.toContainEqual(settled);
    expect(sandbox.requests.map(({ method }) => method).join(' ')).toBe('GET GET POST GET POST');
    expect(existsSync(mark)).toBe(false);
  });

  test.for([
    ['waits if the name is similar, since the service may change it', ' RABBIT', true],
    ['does not wait with another name', 'cat', false],
  ] as const)('%s', async ([, name, waits], { petstore, mark }) => {
    const { exitCode, events } = await petstore(create(name), as(2));

    expect(exitCode).toBe(0);
    expect(events().some(({ reason }) => reason === 'settle')).toBe(waits);
    expect(existsSync(mark)).toBe(!waits);
  });

  testCreated('does not wait if the list has it', async ({ petstore, sandbox, mark }) => {
    const { stdout, events } = await petstore(create('rabbit'), as(2));

    expect(JSON.parse(stdout)).toEqual({ id: 1, name: 'rabbit' });
    expect(events()).not.toContainEqual(settled);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(existsSync(mark)).toBe(true);
  });

  test('waits again after a wait that was interrupted', async ({ petstore, clock, mark }) => {
    const ctrlC = new AbortController();
    void clock.sleep(30_000, ctrlC.signal).then(() => ctrlC.abort(interrupted(130)));

    const second = await petstore(create('rabbit'), { ...as(2), signal: ctrlC.signal });
    const third = await petstore(create('rabbit'), as(3));

    expect(second).toMatchObject({ exitCode: 130, stdout: '' });
    expect(second.events().at(-1)).toMatchObject({ kind: 'interrupted', outcome: 'not_sent' });
    expect(third.events()).toContainEqual(settled);
    expect(existsSync(mark)).toBe(false);
  });

  test('does not wait for a mark that was never complete: nothing was sent yet', async ({
    petstore,
    mark,
  }) => {
    truncateSync(mark, 20);

    const { exitCode, events } = await petstore(create('rabbit'), as(2));

    expect(exitCode).toBe(0);
    expect(events()).not.toContainEqual(settled);
  });

  test('forgets a mark that is older than the longest import', async ({ petstore, mark }) => {
    const text = readFileSync(mark, 'utf8');
    const age = (days: number) =>
      writeFileSync(
        mark,
        text.replace(/"since":(\d+)/, (_, since) => `"since":${since - days * dayMs}`),
      );
    age(119);
    await petstore(create('dog'), as(3));
    const wasKept = existsSync(mark);
    age(121);

    const { events } = await petstore(create('rabbit'), as(4));

    expect([wasKept, existsSync(mark)]).toEqual([true, false]);
    expect(events()).not.toContainEqual(settled);
  });
});

describe('a create with --if-missing', () => {
  base.for([
    ['was looked up', false, 6],
    ['was not looked up, because of Ctrl-C', true, 130],
  ] as const)(
    'after one with an unknown outcome that %s',
    async ([, isInterrupted, exitCode], { petstore, sandbox, clock }) => {
      const ctrlC = new AbortController();
      sandbox.reactions.push(reply(200, []), cutBefore);
      const interrupt = () => ctrlC.abort(interrupted(130));
      if (isInterrupted) void clock.sleep(30_000, ctrlC.signal).then(interrupt);

      const first = await petstore(create('rabbit'), { ...as(1), signal: ctrlC.signal });
      const second = await petstore(create('rabbit'), as(2));

      expect(first).toMatchObject({ exitCode, stdout: '' });
      expect(second.exitCode).toBe(0);
      expect(second.events().some(({ reason }) => reason === 'settle')).toBe(isInterrupted);
      expect(sandbox.categories).toHaveLength(1);
    },
  );

  base(
    'that waited for another one creates nothing twice although its first list is old',
    async ({ petstore, sandbox, clock }) => {
      let second: ReturnType<typeof petstore> | undefined;
      const running: RunOptions = { context: { owner: { pid: 2, host: 'here', born: 'once' } } };
      sandbox.reactions.push(
        reply(200, []),
        async (_request, forward) => {
          second = petstore([...create('rabbit'), '--max-wait', 'inf'], running);
          await clock.sleep(5_000, new AbortController().signal);
          return forward();
        },
        reply(200, []),
      );

      const first = await petstore(create('rabbit'), as(1));
      const then = await second;

      expect([first.exitCode, then?.exitCode]).toEqual([0, 0]);
      expect(then?.events()).toContainEqual(settled);
      expect(then?.stdout).toBe(first.stdout);
      expect(sandbox.categories).toHaveLength(1);
    },
  );
});
