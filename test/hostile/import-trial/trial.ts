import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cleanEnvironment, launcher } from '../../support/program.ts';
import { below, createRandom } from '../../support/random.ts';
import { type Audit, audit, createsOf } from './audit.ts';
import { type FaultyService, maxCommitMs, startFaultyService } from './faulty-service.ts';
import { type Death, drawDoom, live } from './life.ts';
import { existing, makeRows, type Row, writeRows } from './rows.ts';

/** An import that is killed again and again, at a service that breaks requests. */
export type Trial = {
  readonly rows: number;
  readonly kills: number;
  /** The part of all requests that goes wrong. */
  readonly share: number;
  /** How many processes are started at once. */
  readonly atOnce?: number;
};

export type Outcome = Audit & {
  readonly rows: number;
  readonly kills: number;
  readonly faults: number;
  readonly runs: number;
  readonly failures: readonly string[];
};

/** The list could not be read, rows are unknown or left, or the limit was in the way. */
const mayEndWith = [5, 6, 7, 75];
/** Another process was at it. */
const mayEndWithInCrowd = [...mayEndWith, 74];

/** Lets the import be killed, then lets it come to its end, and counts what the service has. */
export async function runTrial(trial: Trial, seed: number): Promise<Outcome> {
  const { kills, share, atOnce = 1 } = trial;
  const random = createRandom(seed);
  const rows = makeRows(trial.rows, random);
  const home = mkdtempSync(join(tmpdir(), 'petstore-import-'));
  const file = join(home, 'rows.csv');
  writeRows(file, rows);
  const asked = createsOf(rows, existing);
  const service = await startFaultyService({
    random: createRandom(below(2 ** 32, random)),
    share,
    before: existing,
  });
  const failures: string[] = [];
  let killed = 0;
  let runs = 0;

  let isDone = false;
  for (let rounds = 2 * kills + 50; !isDone && rounds > 0; rounds -= 1) {
    for (const death of await Promise.all(Array.from({ length: atOnce }, liveOnce))) judge(death);
  }
  if (!isDone) failures.push('it came to no end');
  await pause(2 * maxCommitMs);
  service.close();

  const audited = audit(rows, existing, service.state.categories as readonly Row[]);
  const { lost, duplicated, strange } = audited;
  const isOdd = lost + duplicated + strange + failures.length > 0;
  if (isOdd) failures.push(`seed ${seed}: ${keepEvidence(home, service)}`);
  else rmSync(home, { recursive: true });
  const faults = service.log.filter(({ fault }) => fault).length;
  const counts = { rows: rows.length, kills: killed, runs, faults };
  return { ...audited, ...counts, failures };

  function liveOnce(): Promise<Death> {
    const left = asked - (service.state.categories.length - existing.length);
    const livesLeft = kills - killed;
    runs += 1;
    return live({
      program: importOf(file),
      env: { ...cleanEnvironment(home), ...service.env },
      doom: livesLeft > 0 ? drawDoom(random, Math.max(0, left) / (livesLeft + 1)) : undefined,
      reached: () => ({ requests: service.log.length, writes: service.writes() }),
    });
  }

  function judge(death: Death): void {
    const { code, cause, stderr } = death;
    if (cause === 'killed') killed += 1;
    if (cause === 'hung') failures.push(`hung: ${stderr}`);
    if (cause !== 'itself') return;
    const expected = atOnce > 1 ? mayEndWithInCrowd : mayEndWith;
    if (code === 0) isDone = true;
    else if (!expected.includes(code ?? 0)) failures.push(`exit ${code}: ${stderr}`);
  }
}

function importOf(file: string): string[] {
  return [
    ...[process.execPath, launcher, 'categories', 'import', file, '--yes', '--quiet'],
    ...['--settle', '500ms', '--timeout', '2s', '--max-wait', 'inf'],
  ];
}

/** Puts what the service saw beside the journal, and says where. */
function keepEvidence(home: string, { log }: FaultyService): string {
  const path = join(home, 'service.ndjson');
  writeFileSync(path, log.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return `the journal lies in ${home}, and what the service saw in ${path}`;
}
