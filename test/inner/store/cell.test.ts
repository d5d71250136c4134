import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Cell, change, memoryCell, orInMemory } from '../../../src/store/cell.ts';
import { fileCell } from '../../../src/store/file-cell.ts';
import { expect, test } from '../../support/petstore.ts';

type Names = Readonly<Record<string, number>>;

const add = (cell: Cell<Names>, name: string) =>
  change(cell, ({ value }) => [{ ...value, [name]: 1 }, undefined]);
const namesIn = (cell: Cell<Names>) =>
  change(cell, ({ value }) => [undefined, value && Object.keys(value)]);

async function addAll(cell: Cell<Names>, names: readonly string[]): Promise<void> {
  for (const name of names) await add(cell, name);
}

/** Returns the names of the files with a value, the newest first. */
function filesIn(folder: string): string[] {
  return readdirSync(folder).sort((a, b) => Number(b) - Number(a));
}

const ten = Array.from({ length: 10 }, (_, n) => `n${n}`);

const kinds: [string, (folder: string) => Cell<Names>][] = [
  ['in memory', () => memoryCell()],
  ['in a folder', (folder) => fileCell(join(folder, 'new', 'cell'))],
  ['or in memory', (folder) => orInMemory(fileCell(join(folder, 'cell')), () => {})],
];

describe.each(kinds)('a cell %s', (_, create) => {
  test('has no value at first, then keeps all changes, also those at once', async ({ folder }) => {
    const cell = create(folder);
    expect(await namesIn(cell)).toBe(undefined);

    await add(cell, 'a');
    await Promise.all(ten.map((name) => add(cell, name)));

    expect((await namesIn(cell))?.sort()).toEqual(['a', ...ten]);
  });

  test('refuses a change of what it was before other changes', async ({ folder }) => {
    for (const count of [0, 1, 2, 4, 5, 6, 7, 10]) {
      const cell = create(join(folder, `${count}`));
      await add(cell, 'first');
      const seen = await cell.read();
      await addAll(cell, ten.slice(0, count));

      expect(await cell.replace(seen, { late: 1 }), `${count} changes`).toBe(count === 0);

      const expected = count === 0 ? ['late'] : ['first', ...ten.slice(0, count)];
      expect(await namesIn(cell)).toEqual(expected);
      await add(cell, 'last');
      expect(await namesIn(cell)).toEqual([...expected, 'last']);
    }
  });
});

describe('a cell in a folder', () => {
  test('refuses a value above its bound, and keeps the one before', async ({ folder }) => {
    const cell = fileCell<Names>(folder, { maxBytes: 200 });
    await add(cell, 'a');

    await expect(add(cell, 'b'.repeat(200))).rejects.toMatchObject({ code: 'EFBIG' });

    expect(await namesIn(fileCell(folder))).toEqual(['a']);
  });

  test('is seen by all processes, and stays small', async ({ folder }) => {
    const [one, other] = [fileCell<Names>(folder), fileCell<Names>(folder)];
    for (const name of ten) {
      await add(one, name);
      expect(await namesIn(other)).toEqual(await namesIn(one));
      await add(other, `${name}.`);
      expect(await namesIn(one)).toEqual(await namesIn(other));
    }

    expect((await namesIn(one))?.length).toBe(20);
    expect(readdirSync(folder).length).toBeLessThan(8);
  });

  test('has the value before if the newest file is damaged', async ({ folder }) => {
    const damages: [string, (path: string) => void][] = [
      ['empty', (path) => truncateSync(path)],
      ['cut', (path) => truncateSync(path, 30)],
      ['changed', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('n9', 'n8'))],
      ['filled with zeros', (path) => writeFileSync(path, Buffer.alloc(60))],
    ];
    for (const [what, damage] of damages) {
      const path = join(folder, what);
      await addAll(fileCell(path), ten);
      damage(join(path, filesIn(path)[0] as string));
      const cell = fileCell<Names>(path);

      expect(await namesIn(cell), what).toEqual(ten.slice(0, -1));
      await add(cell, 'next');
      expect(await namesIn(fileCell(path)), what).toEqual([...ten.slice(0, -1), 'next']);
    }
  });

  test('begins anew if its folder is removed after a look', async ({ folder }) => {
    const cell = fileCell<Names>(join(folder, 'cell'));
    const seen = cell.read();
    rmSync(join(folder, 'cell'), { recursive: true });

    expect(cell.replace(seen, { late: 1 })).toBe(false);
    await add(cell, 'a');
    expect(await namesIn(cell)).toEqual(['a']);
  });

  test('loses nothing to a process that was suspended while it was the first', async ({
    folder,
  }) => {
    const [suspended, late] = [fileCell<Names>(folder), fileCell<Names>(folder)];
    const none = await late.read();
    await suspended.replace(await suspended.read(), {});
    const seen = await suspended.read();
    await addAll(fileCell(folder), ten);

    expect(await late.replace(none, { late: 1 })).toBe(false);
    expect(await suspended.replace(seen, { suspended: 1 })).toBe(false);

    expect(await namesIn(fileCell(folder))).toEqual(ten);
  });
});

test('a cell that cannot be written goes on in memory, and that is told once', async () => {
  const told: unknown[] = [];
  const full: Cell<Names> = {
    read: () => ({ value: { a: 1 }, version: '1' }),
    replace() {
      throw Object.assign(new Error(), { code: 'ENOSPC' });
    },
  };
  const cell = orInMemory(full, (error) => told.push(error));

  await addAll(cell, ten);

  expect((await namesIn(cell))?.sort(), 'what was read, and all changes').toEqual(['a', ...ten]);
  expect(told).toMatchObject([{ code: 'ENOSPC' }]);
});

test('a change that never succeeds is given up', async () => {
  const cell: Cell<Names> = { ...memoryCell(), replace: () => false };

  await expect(add(cell, 'a')).rejects.toMatchObject({ code: 'EBUSY' });
});
