import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { change } from '../../../src/disk/cell.ts';
import { fileCell } from '../../../src/disk/file-cell.ts';

/** Adds its names to one value, `rounds` of them, and writes down each one that was added. */
const [folder = '', rounds = ''] = process.argv.slice(2);
const cell = fileCell<Record<string, number>>(join(folder, 'cell'));

for (let round = 0; round < Number(rounds); round += 1) {
  const name = `${process.pid}.${round}`;
  await change(cell, ({ value }) => [{ ...value, [name]: 1 }, undefined]);
  appendFileSync(join(folder, 'added'), `${name}\n`);
}
