import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import headless from '@xterm/headless';
import { describe } from 'vitest';
import { type Clock, startTime } from '../../support/clock.ts';
import { test as fleetTest, shownUrl } from '../../support/fleet.ts';
import { expect, networkError, type RunOptions, reply, test } from '../../support/petstore.ts';
import { interrupted, type Output } from '../../support/values.ts';

// Loaded beforehand: the time of a test passes faster than a module loads.
await import('../../../src/commands/limits/watch.ts');

/** A terminal that draws, wraps and reflows as real ones do. */
function createScreen(clock: Clock, columns: number, rows = 40) {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    convertEol: true,
    allowProposedApi: true,
  });
  // It draws in its own time, which is none of the clock's.
  const write = async (text: string) => {
    const release = clock.hold();
    await new Promise<void>((done) => terminal.write(text, done));
    release();
  };
  const output: Output = {
    write,
    isTTY: true,
    get columns() {
      return terminal.cols;
    },
    get stream() {
      return { columns: terminal.cols, rows: terminal.rows } as NodeJS.WriteStream;
    },
  };
  return {
    output,
    write,
    resize: (columns: number, rows: number) => terminal.resize(columns, rows),
    /** All lines that were ever scrolled off or are seen, without the empty ones at the end. */
    lines(): string[] {
      const { active } = terminal.buffer;
      const all = Array.from({ length: active.length }, (_, at) => active.getLine(at));
      return all
        .map((line) => line?.translateToString(true) ?? '')
        .join('\n')
        .trimEnd()
        .split('\n');
    },
    cursor: () => [terminal.buffer.active.cursorX, terminal.buffer.active.cursorY],
  };
}

type Step = () => unknown;

/** How a run ends that does each step after one second more, and is interrupted then. */
function watching(clock: Clock, steps: readonly Step[]): RunOptions {
  const ctrlC = new AbortController();
  let at = 0;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    const step = steps[at];
    at += 1;
    if (step) await step();
    else ctrlC.abort(interrupted(130));
    return clock.sleep(ms, signal);
  };
  return { signal: ctrlC.signal, context: { sleep } };
}

const nothing = () => {};

describe('limits --watch on a terminal', () => {
  test('draws in place what other processes hear, with countdowns, and sends nothing', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const screen = createScreen(clock, 80);
    const seen: string[][] = [];
    const look = () => seen.push(screen.lines());
    await screen.write('$ petstore limits --watch\n');
    const options = watching(clock, [
      look,
      async () => petstore(['categories', 'list']),
      look,
      async () => petstore(['categories', 'list']),
      look,
    ]);

    const { exitCode, stderr } = await petstore(['limits', '--watch'], {
      ...options,
      context: { ...options.context, stdout: screen.output },
    });

    const first = '$ petstore limits --watch';
    expect(seen[0]?.at(0)).toBe(first);
    expect(seen[0]?.at(-2)).toBe(
      'no values recorded yet; to get them (one request): petstore limits --refresh',
    );
    expect(seen[1]).toEqual([
      first,
      '┌────────┬───────┬───────────┬──────┬──────────────────────┬───────────┐',
      '│ window │ limit │ remaining │ used │ resetAt              │ source    │',
      '├────────┼───────┼───────────┼──────┼──────────────────────┼───────────┤',
      '│ minute │ 60    │ 59        │ 1    │ 2026-11-20T15:05:01Z │ service   │',
      '│ day    │       │           │ 1    │                      │ own count │',
      '└────────┴───────┴───────────┴──────┴──────────────────────┴───────────┘',
      'minute resets in 59s',
      'Ctrl-C to stop',
    ]);
    expect(seen[2]?.slice(4)).toEqual([
      '│ minute │ 60    │ 58        │ 2    │ 2026-11-20T15:05:01Z │ service   │',
      '│ day    │       │           │ 2    │                      │ own count │',
      '└────────┴───────┴───────────┴──────┴──────────────────────┴───────────┘',
      'minute resets in 57s',
      'Ctrl-C to stop',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
    expect(sandbox.requests).toHaveLength(2);
  });

  test('leaves the last state on the screen, and the cursor below it', async ({
    petstore,
    clock,
  }) => {
    const screen = createScreen(clock, 80);
    await petstore(['categories', 'list']);
    // What a terminal shows of Ctrl-C.
    const options = watching(clock, [nothing, () => screen.write('^C')]);

    await petstore(['limits', '--watch'], {
      ...options,
      context: { ...options.context, stdout: screen.output },
    });

    const lines = screen.lines();
    expect(lines.slice(-2)).toEqual([expect.stringMatching(/^└.*┘$/), 'minute resets in 58s']);
    expect(screen.cursor()).toEqual([0, lines.length]);
  });

  test.for([40, 60, 80, 120])(
    'draws one table in %d columns',
    async (columns, { petstore, clock }) => {
      const screen = createScreen(clock, columns);
      await screen.write('above\n');
      await petstore(['categories', 'list']);
      const options = watching(clock, [nothing, nothing, nothing]);

      await petstore(['limits', '--watch', '-p', 'production'], {
        ...options,
        context: { ...options.context, stdout: screen.output },
      });

      const text = screen.lines().join('\n');
      expect(text).toMatch(/^above\n/);
      expect(text.match(/2026-11-20T15:05:00Z/g)).toHaveLength(1);
      expect(text).toContain('minute resets in 57s');
    },
  );

  test.for([
    {
      what: 'wider',
      sizes: [
        [120, 40],
        [75, 40],
      ],
      tables: 1,
    },
    { what: 'higher', sizes: [[80, 60]], tables: 1 },
    {
      what: 'narrower than the table, and wide again',
      sizes: [
        [40, 40],
        [100, 40],
      ],
      tables: 2,
    },
  ] as const)('becomes $what, and nothing above is erased', async (row, { petstore, clock }) => {
    const screen = createScreen(clock, 80);
    await screen.write('above\n');
    await petstore(['categories', 'list']);
    const options = watching(clock, [
      nothing,
      ...row.sizes.flatMap(([columns, rows]) => [() => screen.resize(columns, rows), nothing]),
    ]);

    await petstore(['limits', '--watch'], {
      ...options,
      context: { ...options.context, stdout: screen.output },
    });

    const text = screen.lines().join('\n');
    expect(text).toMatch(/^above\n/);
    expect(text.match(/window/g)).toHaveLength(row.tables);
  });

  test('erases nothing above where a line that was broken is whole again', async ({
    petstore,
    clock,
  }) => {
    const screen = createScreen(clock, 40);
    await screen.write('above\n');
    const options = watching(clock, [nothing, () => screen.resize(120, 40), nothing]);

    await petstore(['limits', '--watch', '-p', 'production'], {
      ...options,
      context: { ...options.context, stdout: screen.output },
    });

    expect(screen.lines().slice(0, 2)).toEqual(['above', expect.stringMatching(/^┌/)]);
  });

  test('is cut where the terminal has too few rows, so that nothing scrolls', async ({
    petstore,
    clock,
  }) => {
    const screen = createScreen(clock, 80, 6);
    await petstore(['categories', 'list']);
    const options = watching(clock, [nothing, nothing]);

    await petstore(['limits', '--watch'], {
      ...options,
      context: { ...options.context, stdout: screen.output },
    });

    expect(screen.lines()).toHaveLength(5);
  });

  test('counts a wait in force down, in yellow', async ({ petstore, sandbox, clock }) => {
    const screen = createScreen(clock, 80);
    const written: string[] = [];
    const write = (text: string) => {
      written.push(text);
      return screen.write(text);
    };
    sandbox.reactions.push(reply(429, '', { 'retry-after': '900' }));
    await petstore(['categories', 'list']);
    const options = watching(clock, [nothing, nothing]);

    await petstore(['limits', '--watch'], {
      ...options,
      context: { ...options.context, stdout: { ...screen.output, write } },
    });

    const text = screen.lines().join(' ');
    expect(text).toContain('rate limit exceeded (429); next request in 15m (2026-11-20T15:19:02Z)');
    expect(text).not.toContain('15m 2s');
    expect(written.join('')).toContain('\u001b[33mrate limit exceeded (429)');
  });

  test('keeps a notice that comes in between, and goes on below it', async ({
    petstore,
    folder,
    clock,
  }) => {
    const screen = createScreen(clock, 200);
    await petstore(['categories', 'list']);
    const options = watching(clock, [
      nothing,
      () => {
        rmSync(join(folder, 'state'), { recursive: true });
        writeFileSync(join(folder, 'state'), '');
      },
      nothing,
      nothing,
    ]);

    await petstore(['limits', '--watch'], {
      ...options,
      context: { ...options.context, stdout: screen.output, stderr: screen.output },
    });

    const lines = screen.lines();
    const notice = lines.findIndex((line) => line.startsWith('petstore: '));
    expect(notice).toBeGreaterThan(5);
    expect(lines.slice(notice + 1).filter((line) => line.startsWith('┌'))).toHaveLength(1);
  });
});

describe('limits --watch elsewhere', () => {
  test('prints an object at first and for each change, and none while only time passes', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const list = async () => petstore(['categories', 'list']);
    const options = watching(clock, [nothing, nothing, list, nothing, list, nothing, nothing]);

    const { exitCode, stdout, stderr } = await petstore(
      ['limits', '--watch', '-o', 'ndjson'],
      options,
    );

    const objects = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
    expect(objects.map(({ minute }) => minute.remaining)).toEqual([undefined, 59, 58]);
    expect(objects[1]).toEqual({
      minute: {
        limit: 60,
        remaining: 59,
        used: 1,
        resetAt: '2026-11-20T15:05:02Z',
        source: 'service',
      },
      day: { used: 1, source: 'own count' },
      inFlight: 0,
      wait: null,
      store: null,
    });
    expect(sandbox.requests).toHaveLength(2);
  });

  test('prints chosen columns when one of them changes', async ({ petstore, clock }) => {
    await petstore(['categories', 'list']);
    const list = async () => petstore(['categories', 'list']);
    const options = watching(clock, [nothing, list, nothing]);
    const argv = ['limits', '--watch', '-o', 'ndjson', '--columns'];

    const changing = await petstore([...argv, 'window,remaining'], options);
    const constant = await petstore([...argv, 'window,limit'], watching(clock, [list, nothing]));

    expect(changing.stdout.match(/minute/g)).toHaveLength(2);
    expect(constant.stdout.match(/minute/g)).toHaveLength(1);
  });

  test('refuses an unknown column at once', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore([
      'limits',
      '--watch',
      '-o',
      'ndjson',
      '--columns',
      'plan',
    ]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('unknown column');
  });

  test('says when a window has ended', async ({ petstore, clock }) => {
    await petstore(['categories', 'list']);
    const options = watching(
      clock,
      Array.from({ length: 65 }, () => nothing),
    );

    const { stdout } = await petstore(['limits', '--watch', '-o', 'ndjson'], options);

    const objects = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(objects.map(({ minute }) => minute.source)).toEqual(['service', 'unknown']);
    expect(clock.now()).toBeGreaterThan(startTime + 61_000);
  });

  test.for([
    { what: 'a table in a pipe', argv: [] },
    { what: 'JSON', argv: ['--json'] },
    { what: 'CSV', argv: ['-o', 'csv'] },
    { what: 'JSON on a terminal', argv: ['--json'], columns: 80 },
    { what: 'a dumb terminal', argv: [], columns: 80, env: { TERM: 'dumb' } },
    { what: 'a terminal of CI', argv: [], columns: 80, env: { CI: 'true' } },
  ])('refuses $what, and names -o ndjson', async ({ argv, ...options }, { petstore }) => {
    const { exitCode, stdout, stderr } = await petstore(['limits', '--watch', ...argv], options);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('--watch needs a table on a terminal, or -o ndjson');
    expect(stderr).toContain('petstore limits --watch -o ndjson');
  });

  test.for(['--refresh', '--reset', '--for=5'])(
    'cannot be used with %s',
    async (flag, { petstore, sandbox }) => {
      const argv = ['limits', '--watch', '-o', 'ndjson', flag];

      const { exitCode, stdout, stderr } = await petstore(argv);

      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(`--watch cannot be used with ${flag.replace('=5', '')}`);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('ends with 141 when its reader is gone', async ({ petstore, clock }) => {
    const list = async () => petstore(['categories', 'list']);
    const options = watching(clock, [nothing, list, nothing, nothing]);
    let writes = 0;
    const write = async () => {
      writes += 1;
      if (writes > 1) throw networkError('EPIPE');
    };
    const stdout: Output = { write, isTTY: false, columns: undefined, stream: undefined };

    const { exitCode } = await petstore(['limits', '--watch', '-o', 'ndjson'], {
      ...options,
      context: { ...options.context, stdout },
    });

    expect(exitCode).toBe(141);
  });

  test('ends with 143 when it is terminated', async ({ petstore, clock }) => {
    const ctrlC = new AbortController();
    const sleep: Clock['sleep'] = (ms, signal) => {
      ctrlC.abort(interrupted(143));
      return clock.sleep(ms, signal);
    };

    const { exitCode } = await petstore(['limits', '--watch', '-o', 'ndjson'], {
      signal: ctrlC.signal,
      context: { sleep },
    });

    expect(exitCode).toBe(143);
  });

  fleetTest('reads a limit store every five seconds', async ({ fleet: { run, engine }, clock }) => {
    const options = watching(
      clock,
      Array.from({ length: 30 }, () => nothing),
    );

    const { stdout } = await run('one', ['limits', '--watch', '-o', 'ndjson'], options);

    expect(JSON.parse(stdout.split('\n')[0] ?? '').store).toEqual({
      address: shownUrl,
      answers: true,
    });
    expect(engine.commands).toBeLessThan(10);
  });
});
