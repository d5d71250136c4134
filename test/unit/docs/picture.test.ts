import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppendFile } from '../../../src/context.ts';
import { openAppendFile as openRealAppendFile } from '../../../src/disk/append-file.ts';
import { type Frame, type Row, terminalDrawing } from '../../../src/docs/figures/terminal.ts';
import { expect, test } from '../../support/petstore.ts';
import { createRecorder } from '../../support/recorder.ts';

// Loaded beforehand: the time of a test passes faster than a module loads.
await import('ora');

const columns = 80;
const rows = 150;

type Scene = {
  readonly pid: number;
  /** Seconds since the beginning at which the screen is looked at, and a word about what is seen. */
  readonly looks: readonly (readonly [seconds: number, caption: string])[];
  /** In seconds since the beginning; without it, the import runs to its end. */
  readonly killedAt?: number;
};

test('the picture of an import that is killed and resumed is as it happens', async ({
  petstore,
  sandbox,
  clock,
  folder,
}) => {
  const file = join(folder, 'species.csv');
  const names = Array.from({ length: rows }, (_, n) => `species ${n + 1}\n`);
  writeFileSync(file, `name\n${names.join('')}`);
  const begun = clock.uptime();
  const frames: Frame[] = [];

  const first = await play({ pid: 1, looks: [[3, 'waiting for the rate limit']], killedAt: 20 });
  note('kill -9', []);
  const second = await play({
    pid: 2,
    looks: [
      [22, 'the same command again'],
      [84, 'a minute later'],
    ],
  });

  expect(await second.ended).toMatchObject({ exitCode: 0 });
  expect(sandbox.categories.map(({ name }) => `${name}\n`).sort()).toEqual(names.sort());
  await first.bury();
  const title = 'An import that waits for the rate limit, is killed, and is resumed';
  const drawing = terminalDrawing(title, frames, columns).replaceAll(`${folder}/`, '');
  await expect(drawing).toMatchFileSnapshot('../../../docs/figures/import.svg');

  /** Runs the import on a terminal of its own until it ends or is killed. */
  async function play({ pid, looks, killedAt = Number.POSITIVE_INFINITY }: Scene) {
    const terminal = createRecorder(columns);
    await terminal.type('\x1b[32m$\x1b[0m petstore categories import species.csv --yes\n');
    const left = [...looks];
    const end = new AbortController();
    let seen: readonly Row[] = [];
    let looking: Promise<void> | undefined;
    let onKilled = () => {};
    const killed = new Promise<void>((resolve) => {
      onKilled = resolve;
    });

    const ended = petstore(['categories', 'import', file, '--yes'], {
      signal: end.signal,
      context: {
        stdout: terminal.output,
        stderr: terminal.output,
        owner: { pid, host: 'here', born: 'once' },
        isRunning: (owner) => owner.pid === pid,
        openAppendFile,
        async sleep(ms, signal) {
          const [[moment = Number.POSITIVE_INFINITY, caption = ''] = []] = left;
          if (seconds() >= moment) {
            left.shift();
            looking = look(caption);
          }
          await looking;
          await survive(signal);
          await clock.sleep(ms, signal);
          await survive(signal);
        },
      },
    });
    const over = ended.then(async () => {
      if (!end.signal.aborted) note('done', await changes());
    });
    await Promise.race([over, killed]);
    return {
      ended,
      /** The spinner of one who is dead would turn for ever. */
      async bury() {
        end.abort();
        await ended;
      },
    };

    /** Resolves for the living only. */
    async function survive(signal: AbortSignal): Promise<void> {
      if (seconds() < killedAt) return;
      terminal.switchOff();
      onKilled();
      await new Promise((_, reject) => {
        const giveUp = () => reject(signal.reason);
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp);
      });
    }

    /** Waits, while time stands still, until the terminal shows what the program said last. */
    async function look(caption: string): Promise<void> {
      const release = clock.hold();
      await terminal.drawn();
      note(caption, await changes());
      release();
    }

    /** The screen from the first line on that was another one at the last look. */
    async function changes(): Promise<Row[]> {
      const screen = await terminal.screen();
      const same = screen.findIndex((row, n) => JSON.stringify(row) !== JSON.stringify(seen[n]));
      seen = screen;
      return screen.slice(same);
    }
  }

  /** Time stands still until the disk has what it is given. */
  function openAppendFile(path: string): AppendFile {
    const file = openRealAppendFile(path);
    return {
      ...file,
      async append(bytes) {
        const release = clock.hold();
        await file.append(bytes).finally(release);
      },
    };
  }

  function note(caption: string, rows: readonly Row[]): void {
    const passed = Math.floor(seconds());
    const time = `${Math.floor(passed / 60)}:${String(passed % 60).padStart(2, '0')}`;
    frames.push({ caption: `${time} · ${caption}`, rows });
  }

  function seconds(): number {
    return (clock.uptime() - begun) / 1_000;
  }
});
