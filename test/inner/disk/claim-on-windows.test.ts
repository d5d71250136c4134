import { closeSync, constants, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { claim, holderOf } from '../../../src/disk/claim.ts';
import type { Owner } from '../../../src/disk/owner.ts';
import { expect, test } from '../../support/petstore.ts';
import { isPosix } from '../../support/posix.ts';

const owner: Owner = { pid: process.pid, host: 'here' };
const since = 5;

function world(isRunning: (owner: Owner) => boolean) {
  return { owner, isRunning, now: () => since, signal: new AbortController().signal };
}

/** The folder of a claim as a process left it that was killed. */
function leaveClaim(folder: string): string {
  const path = join(folder, 'claim');
  mkdirSync(path);
  writeFileSync(join(path, 'held'), '');
  writeFileSync(join(path, 'owner'), JSON.stringify({ ...owner, since: 1 }));
  return path;
}

describe.skipIf(isPosix)('a claim on Windows', () => {
  test('is refused while it is held, whatever became of the process in its mark', ({ folder }) => {
    const path = join(folder, 'claim');
    const { now } = world(() => true);
    const held = claim(
      world(() => true),
      path,
    );

    for (const running of [true, false]) {
      const second = claim(
        world(() => running),
        path,
      );

      expect(second).toEqual({ mine: false, pid: process.pid, host: 'here', since: now() });
      expect(
        holderOf(
          world(() => running),
          path,
        ),
      ).toEqual(second);
    }
    expect(held.mine).toBe(true);
  });

  test('is free once it is released, and leaves nothing behind', ({ folder }) => {
    const path = join(folder, 'claim');

    for (let round = 0; round < 2; round += 1) {
      const held = claim(
        world(() => true),
        path,
      );
      if (held.mine) held.release();

      expect(held.mine).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('of a process that was killed is free, though another one has its id', ({ folder }) => {
    const path = leaveClaim(folder);

    expect(
      holderOf(
        world(() => true),
        path,
      ),
    ).toBeUndefined();
    expect(
      claim(
        world(() => true),
        path,
      ),
    ).toMatchObject({ mine: true });
  });

  test('of a process that was killed is waited for while a scanner reads it', ({ folder }) => {
    const path = leaveClaim(folder);
    const scanner = openSync(join(path, 'held'), constants.O_RDONLY);
    const looked = () => {
      closeSync(scanner);
      return false;
    };

    expect(claim(world(looked), path)).toMatchObject({ mine: true });
  });
});
