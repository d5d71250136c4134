import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { claim } from '../../../src/disk/claim.ts';
import type { Claim, Holder } from '../../../src/disk/mark.ts';
import type { Owner } from '../../../src/disk/owner.ts';
import { expect, test } from '../../support/petstore.ts';
import { isPosix, isPrivate } from '../../support/posix.ts';
import { trials } from '../../support/trials.ts';

const host = 'here';
const isRoot = process.getuid?.() === 0;
const ownerOf = (pid: number): Owner => ({ pid, host, born: 'once' });

/** Claims as that process, while those run; `meanwhile` happens after it has looked and before it acts. */
function claimAs(
  pid: number,
  path: string,
  { running = [], meanwhile }: { running?: number[]; meanwhile?: () => void } = {},
): Claim | Holder {
  const isRunning = (owner: Owner) => {
    const answer = running.includes(owner.pid);
    meanwhile?.();
    return answer;
  };
  return claim({ owner: ownerOf(pid), isRunning, now: () => 1_000 + pid }, path);
}

function taken(result: Claim | Holder): Claim {
  if (!result.mine) throw new Error(`held by ${result.pid}`);
  return result;
}

describe('a claim', () => {
  test('is refused while its owner runs, and tells who that is and since when', ({ folder }) => {
    const path = join(folder, 'new', 'claim');
    taken(claimAs(1, path));

    expect(claimAs(2, path, { running: [1] })).toEqual({ mine: false, pid: 1, host, since: 1_001 });
    expect(claimAs(1, path, { running: [1] })).toMatchObject({ mine: false, pid: 1 });
  });

  test('is free once it is released, and leaves nothing behind', ({ folder }) => {
    const path = join(folder, 'claim');
    taken(claimAs(1, path)).release();

    expect(readdirSync(folder)).toEqual([]);
    expect(claimAs(2, path, { running: [1] }).mine).toBe(true);
  });

  test.skipIf(process.platform === 'win32')('removes nothing behind a link', ({ folder }) => {
    const path = join(folder, 'claim');
    mkdirSync(join(folder, 'others'));
    writeFileSync(join(folder, 'others', 'file'), 'not a mark');
    symlinkSync(join(folder, 'others'), path);

    expect(() => claimAs(1, path)).toThrow('cannot save');
    expect(readdirSync(join(folder, 'others'))).toEqual(['file']);
  });

  test.skipIf(!isPosix)('is taken over from a process that has ended', ({ folder }) => {
    const path = join(folder, 'claim');
    taken(claimAs(1, path));

    expect(claimAs(2, path, { running: [] }).mine).toBe(true);
    expect(claimAs(3, path, { running: [2] })).toMatchObject({ pid: 2 });
  });

  test.skipIf(!isPosix)(
    'that was taken over is not given back by its first owner',
    ({ folder }) => {
      const path = join(folder, 'claim');
      const first = taken(claimAs(1, path));
      taken(claimAs(2, path));
      first.release();
      first.release();

      expect(claimAs(3, path, { running: [2] })).toMatchObject({ pid: 2 });
    },
  );

  test.skipIf(!isPosix)('goes to whoever is faster in taking over', ({ folder }) => {
    const path = join(folder, 'claim');
    taken(claimAs(1, path));
    let faster: (() => void) | undefined = () => {
      faster = undefined;
      taken(claimAs(2, path));
    };

    const late = claimAs(3, path, { running: [2], meanwhile: () => faster?.() });

    expect(late).toMatchObject({ mine: false, pid: 2 });
    expect(claimAs(4, path, { running: [2] })).toMatchObject({ pid: 2 });
  });

  test('counts as released where a power cut left its mark torn', ({ folder }) => {
    const path = join(folder, 'claim');
    for (const text of ['', '{"pid":1,"ho', '{"pid":0,"host":"here","since":1}', 'null']) {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'torn'), text);
      taken(claimAs(2, path, { running: [0, 1] })).release();
    }
  });

  test.skipIf(!isPosix)(
    'sweeps away what killed processes left unfinished, and nothing else',
    ({ folder }) => {
      const unfinished = `claim.${crypto.randomUUID()}.tmp`;
      mkdirSync(join(folder, unfinished));
      writeFileSync(join(folder, unfinished, 'mark'), '{"pid":1');
      writeFileSync(join(folder, `other.${crypto.randomUUID()}.tmp`), '');
      writeFileSync(join(folder, 'claim.journal'), '');
      const others = readdirSync(folder).filter((name) => name !== unfinished);

      taken(claimAs(1, join(folder, 'claim')));

      expect(readdirSync(folder).sort()).toEqual(['claim', ...others].sort());
    },
  );

  test('can be read by its user alone', ({ folder }) => {
    const path = join(folder, 'claim');
    taken(claimAs(1, path));

    const [mark = ''] = readdirSync(path);
    expect([isPrivate(path), isPrivate(join(path, mark))]).toEqual([true, true]);
  });

  test('fails with 74 where nothing can be written', ({ folder }) => {
    writeFileSync(join(folder, 'file'), '');

    for (const path of [join(folder, 'file'), join(folder, 'file', 'claim')]) {
      expect(() => claimAs(1, path)).toThrow(
        expect.objectContaining({ kind: 'output', exitCode: 74 }),
      );
    }
  });

  test.skipIf(isRoot || !isPosix)('fails with 74 in a folder of others', ({ folder }) => {
    chmodSync(folder, 0o500);
    expect(() => claimAs(1, join(folder, 'claim'))).toThrow(
      expect.objectContaining({ exitCode: 74, message: expect.stringContaining('EACCES') }),
    );
    chmodSync(folder, 0o700);
  });

  test.runIf(process.platform === 'linux')('fails where no folder can be made, as in /proc', () => {
    expect(() => claimAs(1, '/proc/claim')).toThrow(/cannot (save|write|use)/);
  });

  test('is never had by two, whatever the others do between a look and an act', ({ folder }) => {
    const step = fc.record({
      does: fc.constantFrom('claim' as const, 'release' as const, 'die' as const),
      pid: fc.integer({ min: 1, max: 4 }),
    });
    let runs = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        runs += 1;
        const path = join(folder, String(runs));
        const left = [...steps];
        let next = 1_000;
        const running = new Set<number>();
        const holding = new Map<number, Claim>();

        while (left.length > 0) advance();

        /** One step; a look at another process lets the next step happen inside it. */
        function advance(): void {
          const { does, pid: choice } = left.shift() ?? {};
          const inside = [...holding.keys()][0];
          if (does === 'claim') {
            next += 1;
            const pid = next;
            running.add(pid);
            const isRunning = (owner: Owner) => {
              const answer = running.has(owner.pid);
              if (choice !== 1) advance();
              return answer;
            };
            const result = claim({ owner: ownerOf(pid), isRunning, now: () => 1 }, path);
            if (!result.mine) return;
            expect([...holding.keys()]).toEqual([]);
            holding.set(pid, result);
          } else if (does && inside !== undefined) {
            if (does === 'release') holding.get(inside)?.release();
            running.delete(inside);
            holding.delete(inside);
          }
        }
      }),
      trials(300),
    );
  });
});
