import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { systemCode } from '../../../src/errors.ts';
import { type Cell, change, memoryCell, withFallbacks } from '../../../src/store/cell.ts';
import { fileCell } from '../../../src/store/file-cell.ts';
import { expect, test } from '../../support/petstore.ts';
import { isPrivate } from '../../support/posix.ts';

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
  ['with fallbacks', (folder) => withFallbacks([fileCell(join(folder, 'cell'))], moves())],
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
  test('makes nothing for a look, and private files for a change', async ({ folder }) => {
    const path = join(folder, 'new', 'cell');
    const cell = fileCell<Names>(path);

    await namesIn(cell);
    expect(existsSync(join(folder, 'new'))).toBe(false);

    await add(cell, 'a');
    for (const name of ['.', ...readdirSync(path)]) expect(isPrivate(join(path, name))).toBe(true);
  });

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

  test('reads nothing through a link', async ({ folder }) => {
    const path = join(folder, 'cell');
    await add(fileCell(join(folder, 'elsewhere')), 'a');
    mkdirSync(path);
    symlinkSync(join(folder, 'elsewhere', '2'), join(path, '2'));

    await expect(namesIn(fileCell(path))).rejects.toThrow('2 is a symbolic link');
  });
});

function moves(onMove: (error: unknown, index: number) => void = () => {}) {
  const isUnusable = (error: unknown) => systemCode(error) !== 'EIO';
  return { isUnusable, merge: (there: Names, known: Names) => ({ ...known, ...there }), onMove };
}

function failWith(code: string): never {
  throw Object.assign(new Error(code), { code });
}

describe('a cell with fallbacks', () => {
  test('replaces a place that fails by the next one, and reports it once', async ({ folder }) => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'taken', '1'), { recursive: true });
    const reported: [string, number][] = [];
    const cell = withFallbacks<Names>(
      [fileCell(join(folder, 'file')), fileCell(join(folder, 'taken')), memoryCell()],
      moves((error, index) => reported.push([(error as Error).message, index])),
    );

    await addAll(cell, ten);

    expect(await namesIn(cell)).toEqual(ten);
    expect(reported).toEqual([[expect.stringContaining('ENOTDIR'), 2]]);
  });

  test('takes along what is known to a place that has a value', async ({ folder }) => {
    const full: Cell<Names> = {
      read: () => ({ value: { a: 1 }, version: '1' }),
      replace: () => failWith('ENOSPC'),
    };
    const place = fileCell<Names>(join(folder, 'place'));
    await add(place, 'z');
    const cell = withFallbacks<Names>([full, place], moves());

    await add(cell, 'b');

    expect((await namesIn(cell))?.sort()).toEqual(['a', 'b', 'z']);
  });

  test('knows what a process knew that had to go on in the next place', async ({ folder }) => {
    const cells = ['one', 'two'].map((name) => fileCell<Names>(join(folder, name)));
    await add(cells[0] as Cell<Names>, 'a');
    await add(cells[1] as Cell<Names>, 'b');

    expect((await namesIn(withFallbacks(cells, moves())))?.sort()).toEqual(['a', 'b']);
  });

  test.for([
    [1, ['a']],
    [9, 'EIO'],
  ] as const)('reads again after a failure that may pass: %i times', async ([times, so]) => {
    let left = times;
    const shaky: Cell<Names> = {
      ...memoryCell(),
      read: () => (left-- > 0 ? failWith('EIO') : { value: { a: 1 }, version: '1' }),
    };
    const names = namesIn(withFallbacks([shaky, memoryCell()], moves()));

    if (so === 'EIO') await expect(names).rejects.toMatchObject({ code: so });
    else expect(await names).toEqual(so);
  });
});

test('a change that never succeeds is given up', async () => {
  const cell: Cell<Names> = { ...memoryCell(), replace: () => false };

  await expect(add(cell, 'a')).rejects.toMatchObject({ code: 'EBUSY' });
});
