import { openSync } from 'node:fs';
import { fileCell } from '../../../src/disk/file-cell.ts';

/** Opens as many files as the system allows, then prints the code of the error of reading a cell. */
const [folder = ''] = process.argv.slice(2);
const cell = fileCell(folder);

try {
  for (;;) openSync(folder, 'r');
} catch {
  // None is left.
}
try {
  await cell.read();
  process.stdout.write('none');
} catch (error) {
  process.stdout.write(String((error as NodeJS.ErrnoException).code));
}
