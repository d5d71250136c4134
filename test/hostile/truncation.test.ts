import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { framings, goodCategory, goodList, wholeAnswer } from './good-answers.ts';
import { type HostileServer, startHostileServer } from './server.ts';
import { proveCut } from './truncation.ts';

describe('an answer that is cut short', () => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server.close());

  const cases = framings.flatMap((framing) => [
    { what: 'a list', framing, answer: wholeAnswer(200, goodList, framing), writes: false },
    { what: 'a 201', framing, answer: wholeAnswer(201, goodCategory, framing), writes: true },
  ]);

  test.for(cases)(
    '$what by its $framing, at every byte: nothing of it is shown, and no create is taken for certain',
    async ({ answer, writes }) => {
      const lengths = [...answer.keys()];

      await Promise.all(
        [0, 1, 2, 3].map(async () => {
          for (let at = lengths.shift(); at !== undefined; at = lengths.shift()) {
            expect(await proveCut(server, answer, at, writes), `cut at ${at}`).toEqual([]);
          }
        }),
      );
    },
  );

  test.for(cases)('$what by its $framing is shown when it is whole', async ({ answer, writes }) => {
    expect(await proveCut(server, answer, answer.length, writes)).toEqual(['exit code 0']);
  });
});
