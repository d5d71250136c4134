import { join } from 'node:path';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { createKillable, type KillPlan } from '../support/killable.ts';
import { expect, type Fixtures, test } from '../support/petstore.ts';
import { below, createRandom, pick, type Random, seed, trials } from '../support/random.ts';
import { never } from '../support/told.ts';
import { category } from '../support/values.ts';
import { badService } from './bad-service.ts';

const contents = [
  ...['dog,Barks', 'dog,Barks', 'dog,', 'cat,', 'emu,Runs', 'fox,', 'owl,', 'yak,', 'ant,'],
  ...['bee,', 'cow,', 'elk,', 'hen,', 'pig,', 'rat,'],
];
/** Shares names with it. */
const others = [...contents.slice(3).reverse(), 'gnu,'];
/** It is there before. */
const dog = category('5', 'dog', 'Barks');

type Setup = {
  readonly files: readonly (readonly string[])[];
  /** Processes that are started at once. */
  readonly atOnce?: number;
};
type Machine = Pick<Fixtures, 'clock' | 'folder' | 'forward' | 'petstore' | 'sandbox'>;
type Ended = { readonly exitCode: number; readonly stderr: string };

const { numRuns } = trials(25);
const timeout = 600_000;

describe(`an import that is killed, cut off, interrupted and short of disk (seed ${seed})`, () => {
  test.for<[string, Setup]>([
    ['one process', { files: [contents] }],
    ['three at once', { files: [contents], atOnce: 3 }],
    ['two files', { files: [contents, others] }],
  ])(
    '%s: nothing lost, nothing twice',
    { timeout },
    async ([, setup], { clock, folder, forward, petstore, sandbox }) => {
      const machine = { clock, folder, forward, petstore, sandbox };
      const { kills, ...found } = await runTrials(machine, setup);

      expect(found).toEqual({ lost: 0, twice: 0, failures: [] });
      expect(kills).toBeGreaterThan(numRuns);
    },
  );
});

type Found = { lost: number; twice: number; kills: number; failures: string[] };

async function runTrials(machine: Machine, setup: Setup): Promise<Found> {
  const found: Found = { lost: 0, twice: 0, kills: 0, failures: [] };
  for (
    let trial = 0;
    trial < numRuns * setup.files.length && found.lost + found.twice === 0;
    trial += 1
  ) {
    await runTrial(machine, setup, trial, found);
    const isWrong = found.lost + found.twice + found.failures.length > 0;
    if (isWrong) found.failures.push(`trial ${trial} of seed ${seed}`);
  }
  return found;
}

/** Lets imports be killed, then lets each file's come to its end, and counts what the service has. */
async function runTrial(machine: Machine, setup: Setup, trial: number, found: Found) {
  const { clock, folder, petstore, sandbox } = machine;
  const { files, atOnce = 1 } = setup;
  const random = createRandom(seed * 1_000_003 + trial);
  const state = join(folder, `state-${trial}`);
  const paths = files.map((rows, n) =>
    put(folder, ['name,description', ...rows].join('\n'), `${n}.csv`),
  );
  const alive = new Set<number>();
  let pid = 0;
  const limit = pick([1e6, 1e6, 1 + below(8, random)], random);
  sandbox.plan = { minute: { limit, length: 60_000 }, day: { limit: 1e9, length: 9e9 } };
  sandbox.categories.splice(0, Number.POSITIVE_INFINITY, dog);
  sandbox.lastId = 2n ** 53n;
  const service = badService(machine, random, pick([0, 0.08, 0.3], random));

  for (let deaths = below(7, random); deaths > 0; deaths -= 1) {
    const path = paths[below(paths.length, random)] ?? '';
    const plans = Array.from({ length: atOnce }, () => drawKillPlan(random, atOnce === 1));
    await Promise.all(plans.map((plan) => runProcess(path, plan)));
  }
  for (const path of paths) {
    let exitCode = -1;
    for (let runs = 0; runs < 60 && exitCode !== 0; runs += 1)
      exitCode = await runProcess(path, {});
    if (exitCode !== 0) found.failures.push(`trial ${trial}: no end`);
  }
  // Until all that was sent has arrived, and the limit of the minute is over.
  await clock.sleep(120_000, never);
  count(files, sandbox.categories.slice(1), found);

  /** Runs an import as a process of its own. Returns its exit code; -1 if it was killed. */
  async function runProcess(path: string, plan: KillPlan): Promise<number> {
    pid += 1;
    const owner = { pid, host: 'here' };
    const { context, signal, death } = createKillable(clock, service, plan);
    alive.add(pid);
    const argv = ['categories', 'import', path, '--yes', '--json', '--settle', '1s'];
    const run: Promise<Ended> = petstore([...argv, '--max-wait', 'inf'], {
      env: { PETSTORE_STATE_DIR: state },
      signal,
      context: { ...context, owner, isRunning: ({ pid }) => alive.has(pid), random },
    });
    const ended = await Promise.race([run, death.finally(() => alive.delete(owner.pid))]);
    alive.delete(owner.pid);
    if (ended === 'dead') {
      found.kills += 1;
      return -1;
    }
    const { exitCode, stderr } = ended;
    const isExpected = [0, 5, 6, 7, 74, 75, 130].includes(exitCode);
    if (!isExpected) found.failures.push(`trial ${trial}: exit ${exitCode}: ${stderr}`);
    return exitCode;
  }
}

function drawKillPlan(random: Random, canCutPower: boolean): KillPlan {
  const kept = pick([0, random()], random);
  const garbage = pick(['', '', '{"row":1', '{"row":1}\n', '\0\0\0\n', 'x\n'], random);
  const drawStep = () => below(pick([10, 100], random), random);
  return {
    ...(random() < 0.3 ? { interruptedAt: drawStep() } : { diesAt: drawStep() }),
    ...(canCutPower && random() < 0.4 && { kept, garbage }),
    ...(random() < 0.25 && {
      fullAt: drawStep(),
      fullFor: 1 + below(pick([3, 20], random), random),
    }),
  };
}

/** Counts what should exist and does not, and what exists more often. */
function count(files: Setup['files'], made: readonly { readonly name: string }[], found: Found) {
  const names = new Set(files.flat().map((content) => content.split(',', 1)[0]));
  for (const name of names) {
    const surplus = made.filter((row) => row.name === name).length - Number(name !== 'dog');
    found.lost += Math.max(0, -surplus);
    found.twice += Math.max(0, surplus);
  }
}
