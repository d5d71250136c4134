import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openFileLog } from '../../../src/pacing/log.ts';
import type { Entry } from '../../../src/pacing/records.ts';
import { environment } from '../import/home.ts';
import type { Bar, Setup } from './bar.ts';
import { growthOf } from './growth.ts';
import { benchKey } from './start.ts';
import { type Program, takeTurns } from './turns.ts';

/** A file of the log is sealed at about 1,000 lines, so the fifth is one that is nearly full. */
const lineCounts = [1, 10, 100, 300, 1_000, 10_000];
const journalCounts = [1, 10, 100, 1_000];

const list = 'log lines: categories list';
const listBeside = 'journals: categories list';
const oneRow = 'journals: import of one row';

/** Starts with a state in which much has happened: each from a copy of its own. */
export function measureAge({ runs, folder, service }: Setup): Bar[] {
  const url = service(3);
  const young = join(folder, 'young');
  // What a list and an import leave, the compiled code of both included.
  for (const args of [['categories', 'list'], importOf('young'), ['categories', 'list']]) {
    run(young, args);
  }

  const bars = [
    ...measure(list, lineCounts, (home, lines) => addLines(join(home, 'state', 'limits'), lines), [
      'categories',
      'list',
    ]),
    ...measure(listBeside, journalCounts, addJournals, ['categories', 'list']),
    ...measure(oneRow, journalCounts, addJournals, undefined),
  ];
  return [...bars, ...[list, listBeside, oneRow].map((name) => growthOf(name, 's', bars))];

  /** @param args those of an import of a file of its own where undefined */
  function measure(
    program: string,
    sizes: readonly number[],
    age: (home: string, size: number) => void,
    args: readonly string[] | undefined,
  ): Bar[] {
    const aged = sizes.map((size) => {
      const home = join(folder, `${program} ${size}`);
      cpSync(young, home, { recursive: true });
      age(home, size);
      return home;
    });
    const taken = takeTurns(
      runs,
      Object.fromEntries(
        aged.map((home, n) => [
          sizes[n],
          (turn: number) => {
            const copy = join(folder, 'copy');
            rmSync(copy, { recursive: true, force: true });
            cpSync(home, copy, { recursive: true, preserveTimestamps: true });
            return ours(copy, args ?? importOf(`${n} ${turn}`));
          },
        ]),
      ),
    );
    return sizes.map((size) => {
      const { seconds, quartiles } = taken[size] ?? { seconds: undefined };
      const what = `${program}: ${size.toLocaleString('en')}`;
      return {
        ...{ what, figure: seconds, unit: 's', program, size },
        ...(quartiles && { quartiles }),
      };
    });
  }

  function importOf(name: string): readonly string[] {
    const file = join(folder, `${name}.csv`);
    writeFileSync(file, `name\n${name}\n`);
    return ['categories', 'import', file, '--yes', '--quiet'];
  }

  function ours(home: string, args: readonly string[]): Program {
    const env = environment(home, { url, key: benchKey });
    return { argv: [process.execPath, resolve('bin/petstore.js'), ...args], env };
  }

  function run(home: string, args: readonly string[]): void {
    takeTurns(0, { once: () => ours(home, args) });
  }
}

/** So many lines, as requests leave them. */
function addLines(limits: string, lines: number): void {
  const [, name = ''] =
    readdirSync(limits)
      .join('\n')
      .match(/^(.+)\.\d+\.log$/m) ?? [];
  rmSync(join(limits, `${name}.1.log`));
  const log = openFileLog(limits, name);
  const at = Date.now();
  const told = { limit: 100_000_000, remaining: 99_999_000, reset: at + 50_000, date: at };
  for (let n = 0; n < lines; n += 1) {
    const id = `00000000-0000-4000-8000-${String(n >> 1).padStart(12, '0')}`;
    const entry: Entry =
      n % 2 === 0
        ? { k: 'ask', id, at, lease: at + 35_000 }
        : { k: 'answer', id, at, sent: at, status: 200, jitter: 0.5, ...told };
    log.append(entry);
  }
}

/** So many journals of finished imports: the last one under the name that it ended with, the others as a later import renames them. */
function addJournals(home: string, journals: number): void {
  const imports = join(home, 'state', 'imports');
  const last = readdirSync(imports).find((name) => name.endsWith('.journal')) ?? '';
  for (let n = 1; n < journals; n += 1) {
    const name = `${n.toString(16).padStart(16, '0')}.expiring`;
    cpSync(join(imports, last), join(imports, name));
  }
}
