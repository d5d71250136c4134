import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { below, createRandom } from '../../support/random.ts';
import { type Audit, audit, createsOf } from './audit.ts';
import { watchCrowd } from './crowd.ts';
import { latest } from './faults.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { environment, keepEvidence } from './home.ts';
import { type Death, drawDoom, live } from './life.ts';
import type { Program } from './programs.ts';
import { existing, type Mode, makeRows, type Row, writeRows } from './rows.ts';
import { tearJournals } from './tear.ts';

/** An import that is killed again and again, at a service that breaks requests. */
export type Trial = {
  readonly program: Program;
  readonly mode: Mode;
  readonly rows: number;
  readonly kills: number;
  /** The part of all requests that goes wrong. */
  readonly share: number;
  readonly settle?: string;
  /** Whether what was not synced is torn after each death. */
  readonly torn?: boolean;
  /** How many processes are started at once. */
  readonly atOnce?: number;
  /** Whether it is to lose or duplicate rows. */
  readonly hopeless?: boolean;
};

export type Outcome = Audit & {
  readonly rows: number;
  readonly kills: number;
  readonly faults: number;
  readonly runs: number;
  readonly seconds: number;
  /** Writes that came while two processes were at it. */
  readonly overlaps: number;
  /** How the processes ended that were not killed. */
  readonly ends: readonly Death[];
  readonly failures: readonly string[];
};

/** Longest time that the service takes before and after a commit, in ms. */
const pace = 3;

/** Lets the import be killed, then lets it come to its end, and counts what the service has. */
export async function runTrial(trial: Trial, seed: number): Promise<Outcome> {
  const { program, mode, kills, share, settle = '500ms', atOnce = 1, torn = false } = trial;
  const random = createRandom(seed);
  const rows = makeRows[mode](trial.rows, random);
  const home = mkdtempSync(join(tmpdir(), 'petstore-import-'));
  const file = join(home, `rows.${program.format}`);
  writeRows(file, rows, program.format);
  const synced = join(home, 'synced');
  const asked = createsOf(mode, rows, existing);

  const crowd = watchCrowd();
  let writes = 0;
  const service = await startFaultyService({
    random: createRandom(below(2 ** 32, random)),
    share,
    pace,
    before: existing,
    onWrite(sender) {
      writes += 1;
      crowd.note(sender);
    },
  });
  const ends: Death[] = [];
  const failures: string[] = [];
  const count = { kills: 0, runs: 0 };
  const start = performance.now();

  let done = false;
  for (let rounds = 2 * kills + 50; !done && rounds > 0; rounds -= 1) {
    for (const death of await Promise.all(Array.from({ length: atOnce }, liveOnce))) judge(death);
    if (torn && !done) tear();
  }
  if (!done) failures.push('it came to no end');
  const seconds = (performance.now() - start) / 1_000;
  await pause(latest + 4 * pace);
  service.close();

  const outcome: Outcome = {
    ...audit(mode, rows, existing, rowsOf(service)),
    rows: rows.length,
    ...count,
    faults: service.arrivals.filter(({ fault }) => fault).length,
    seconds,
    overlaps: crowd.overlaps(),
    ends,
    failures,
  };
  const { lost, duplicated, strange, overlaps } = outcome;
  const odd = lost + duplicated + strange + overlaps + failures.length > 0;
  if (odd && !trial.hopeless) failures.push(`seed ${seed}: ${keepEvidence(home, service)}`);
  else rmSync(home, { recursive: true });
  return outcome;

  function liveOnce(): Promise<Death> {
    const left = asked - (service.state.categories.length - existing.length);
    const livesLeft = kills - count.kills;
    count.runs += 1;
    return live({
      program: program.argv(file, mode, settle),
      env: { ...environment(home, service), PETSTORE_BENCH_SYNCED: synced },
      doom: livesLeft > 0 ? drawDoom(random, Math.max(0, left) / (livesLeft + 1)) : undefined,
      reached: () => ({ requests: service.arrivals.length, writes }),
      onStart: crowd.enter,
      onEnd: crowd.leave,
    });
  }

  function judge(death: Death): void {
    const { code, cause, stderr } = death;
    if (cause === 'killed') count.kills += 1;
    if (cause === 'hung') failures.push(`hung: ${stderr}`);
    if (cause !== 'itself') return;
    ends.push(death);
    if (code === 0) done = true;
    else if (!mayEndWith(code)) failures.push(`exit ${code}: ${stderr}`);
  }

  /** The list was not to be had, rows are unknown or left, the limit was in the way, or another process was. */
  function mayEndWith(code: number | null): boolean {
    return [5, 6, 7, 75].includes(code ?? 0) || (code === 74 && atOnce > 1);
  }

  function tear(): void {
    try {
      tearJournals(join(home, 'state', 'imports'), synced, random);
    } catch (error) {
      failures.push(String(error));
    }
  }
}

function rowsOf({ state }: FaultyService): readonly Row[] {
  return state.categories as readonly Row[];
}
