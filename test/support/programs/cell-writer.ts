import { join } from 'node:path';
import { change } from '../../../src/store/cell.ts';
import { fileCell } from '../../../src/store/file-cell.ts';

/** Counts its rounds in a value that it shares with others. Exits with 9 once one of its changes is lost. */
const [folder = '', rounds = ''] = process.argv.slice(2);
const cell = fileCell<Record<string, number>>(join(folder, 'cell'));
let seen = 0;

for (let round = 1; round <= Number(rounds); round += 1) {
  await change(cell, ({ value }) => {
    seen = value?.[process.pid] ?? 0;
    return [{ ...value, [process.pid]: round }, undefined];
  });
  if (seen < round - 1) process.exit(9);
}
