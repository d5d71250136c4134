import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fate, type ImportFile, ImportWorld, type Row } from '../support/import-world.ts';
import { below, type Random } from '../support/random.ts';
import { seed } from '../support/seed.ts';
import { isNightly } from '../support/trials.ts';

const contents =
  'dog,Barks dog,Barks dog, cat, emu,Runs fox, owl, yak, ant, bee, cow, elk, hen, pig, rat,'.split(
    ' ',
  );
const pets: ImportFile = { sha256: 'pets', rows: contents.map(toRow) };
/** Shares names with it. */
const others: ImportFile = {
  sha256: 'others',
  rows: [...contents.slice(3, 6), ...contents.slice(12), 'gnu,'].map(toRow),
};

const trials = isNightly ? 3_000 : 300;
const folder = mkdtempSync(join(tmpdir(), 'petstore-simulation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`an import that is killed, cut off, interrupted and short of disk (seed ${seed})`, () => {
  test('two files: nothing lost, nothing twice', { timeout: 600_000 }, async () => {
    const found = await runTrials();

    expect(found).toMatchObject({ lost: 0, twice: 0, strange: [] });
    expect(found.kills).toBeGreaterThan(trials);
    expect(found.resumedAtOnce).toBeGreaterThan(trials / 5);
  });
});

async function runTrials() {
  const sum = { lost: 0, twice: 0, strange: [] as string[], kills: 0, resumedAtOnce: 0 };
  for (let trial = 0; trial < trials; trial += 1) {
    const world = new ImportWorld(seed * 1_000_003 + trial, folder);
    world.commit({ name: 'dog', description: 'Barks' }, -1e9);
    const { random } = world;
    for (let deaths = below(7, random); deaths > 0; deaths -= 1) {
      const fate = drawFate(random);
      const file = random() < 0.5 ? others : pets;
      note(await world.importFile(file, [fate]), trial);
    }
    for (const file of [pets, others]) {
      let end = '';
      for (let runs = 0; runs < 80 && end !== 'done'; runs += 1) {
        [end = ''] = await world.importFile(file, [{}]);
        note([end], trial);
      }
      if (end !== 'done') sum.strange.push(`${trial}: ${end}`);
    }
    // One dog was there before.
    const found = (await world.settled()).slice(1);
    const names = new Set([...pets.rows, ...others.rows].map(({ name }) => name));
    for (const name of names) {
      const surplus = found.filter((row) => row.name === name).length - Number(name !== 'dog');
      sum.lost += Math.max(0, -surplus);
      sum.twice += Math.max(0, surplus);
    }
    sum.kills += world.counts.kills;
    sum.resumedAtOnce += world.counts.resumedAtOnce;
  }
  return sum;

  function note(ends: readonly string[], trial: number): void {
    for (const end of ends) if (end.startsWith('bug')) sum.strange.push(`${trial}: ${end}`);
  }
}

function drawFate(random: Random): Fate {
  const fate = { killAt: below(80, random), isPowerCut: random() < 0.4 };
  return {
    ...fate,
    ...(random() < 0.25 && { interruptAt: below(80, random) }),
    ...(random() < 0.15 && { fullAt: below(60, random), fullFor: 1 + below(20, random) }),
  };
}

function toRow(text: string, index: number): Row {
  const [name = '', description = ''] = text.split(',');
  return { line: index + 2, name, ...(description !== '' && { description }) };
}
