import { basename } from 'node:path';
import { apply, put, three } from '../support/import-cases.ts';
import { createKillable } from '../support/killable.ts';
import { expect, test } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';

const ready = { isSaid: true, unsynced: [] as string[] };

test.for<[what: string, argv: string[], found: (typeof ready)[]]>([
  ['an import', ['import', 'pets.csv', ...apply], [ready, ready, ready]],
  ['a create with --if-missing', ['create', 'cat', '--if-missing'], [ready]],
])('before %s creates, files say so durably', async (row, { petstore, clock, forward, folder }) => {
  const [, argv, expected] = row;
  const found: (typeof ready)[] = [];
  const forgotten: string[] = [];
  const { context, unsyncedFiles } = createKillable(
    clock,
    (request) => {
      const turn = stateFiles(folder).filter(({ path }) => /[/\\]turns[/\\]/.test(path));
      const newest = turn
        .sort((a, b) => Number(basename(a.path)) - Number(basename(b.path)))
        .at(-1);
      const isSaid = /"unsettledAt":\d/.test(newest?.text ?? '');
      // A power cut within a minute may take what a list shows by then.
      const unsynced = unsyncedFiles().filter((path) => !/\.\d+$/.test(path));
      if (request.method === 'POST') found.push({ isSaid, unsynced });
      // The value does not say any more that something may be under way.
      else if (!isSaid) forgotten.push(...unsyncedFiles());
      return forward(request);
    },
    {},
  );
  const path = put(folder, three);
  const words = argv.map((word) => (word === 'pets.csv' ? path : word));

  // Then three may be in flight: what became of one of them is not synced before the next one is sent.
  for (let n = 0; n <= 10; n += 1) await petstore(['categories', 'list']);
  await petstore(['categories', ...words], { context });

  expect(found).toEqual(expected);
  expect(forgotten).toEqual([]);
});
