import { apply, put, stateFilesAbout, three } from '../support/import-cases.ts';
import { createKillable } from '../support/killable.ts';
import { expect, test } from '../support/petstore.ts';

const ready = { sending: 1, marks: 1, unsynced: 0 };

test.for<[what: string, argv: string[], found: (typeof ready)[]]>([
  ['an import', ['import', 'pets.csv', ...apply], [ready, ready, ready]],
  ['a create with --if-missing', ['create', 'cat', '--if-missing'], [{ ...ready, sending: 0 }]],
])('before %s creates, files say so durably', async (row, { petstore, clock, forward, folder }) => {
  const [, argv, expected] = row;
  const found: (typeof ready)[] = [];
  const { context, unsynced } = createKillable(
    clock,
    (request) => {
      const sending = stateFilesAbout(folder, '"sending"').length;
      const marks = stateFilesAbout(folder, '"doing"').length;
      if (request.method === 'POST') found.push({ sending, marks, unsynced: unsynced() });
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
});
