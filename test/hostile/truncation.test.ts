import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNightly } from '../support/trials.ts';
import { commands } from './commands.ts';
import { framings, goodCategory, goodList, wholeAnswer } from './good-answers.ts';
import { runInProcess } from './in-process.ts';
import { type HostileServer, startHostileServer } from './server.ts';

/** 200 KB, which arrive in several pieces. */
const manyRows = Array.from({ length: 4_500 }, (_, id) => ({ id, name: `category number ${id}` }));
const responses = [
  ['a list', 200, goodList],
  ['a 201', 201, goodCategory],
  ...(isNightly ? ([['a long list', 200, JSON.stringify(manyRows)]] as const) : []),
] as const;
const timeout = 3_000_000;
/** How many responses are cut at a time. */
const width = 4;

describe('a response that is cut short', () => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server.close());

  const cases = framings.flatMap((framing) =>
    responses.map(([what, status, text]) => {
      const response = wholeAnswer(status, text, framing);
      return [what, framing, response, status === 201] as const;
    }),
  );

  test.for(cases)(
    '%s by its %s, wherever it ends: nothing of it is shown, and no create is taken for certain',
    { timeout },
    async ([, , response, writes]) => {
      const lengths = cutsOf(response.length).values();
      const work = async () => {
        for (const at of lengths) {
          expect(await proveCut(server, response, at, writes), `cut at ${at}`).toEqual([]);
        }
      };
      await Promise.all(Array.from({ length: width }, work));

      expect(await proveCut(server, response, response.length, writes)).toEqual(['exit code 0']);
    },
  );
});

/** Each byte of the first and the last 300, and some in between; every third of them outside the night. */
function cutsOf(length: number): number[] {
  const isNear = (at: number) => at < 300 || at >= length - 300;
  const isCut = (at: number) => (isNear(at) && (isNightly || at % 3 === 0)) || at % 997 === 0;
  return Array.from({ length }, (_, at) => at).filter(isCut);
}

/** Ends a response behind its first `at` bytes, by an end or by a reset in turn; returns what goes against the promises. */
async function proveCut(
  server: HostileServer,
  answer: Buffer,
  at: number,
  writes: boolean,
): Promise<string[]> {
  const part = answer.subarray(0, at);
  const { url, seen } = server.serveAt((socket) => {
    if (at % 2 === 0 || at === answer.length) socket.end(part);
    else socket.write(part, () => socket.resetAndDestroy());
  });
  const { argv, json = false } = writes ? commands.create : commands.list;
  const run = await runInProcess(argv, url, { json, timeout: 20_000 });
  const creates = seen.filter(({ method }) => method === 'POST').length;
  const broken = [
    ...run.broken,
    run.exitCode !== (writes ? 6 : 5) && `exit code ${run.exitCode}`,
    run.exitCode !== 0 && run.stdout !== '' && 'a part of the result',
    writes && run.exitCode !== 0 && !run.stderr.includes('"outcome":"unknown"') && 'no outcome',
    writes && creates !== 1 && `${creates} creates`,
  ];
  return broken.filter((promise) => typeof promise === 'string');
}
