import { describe } from 'vitest';
import { listCategories } from '../../../src/api/endpoints.ts';
import { Undelivered } from '../../../src/api/exchange.ts';
import { decodePieces } from '../../../src/api/pieces.ts';
import { readLimits } from '../../../src/api/rate-limit.ts';
import { restOf } from '../../../src/api/rest.ts';
import type { Context } from '../../../src/context.ts';
import type { Clock } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

const limits = readLimits({}, 0);
const answer = {
  status: 200,
  headers: {},
  limits,
  bytes: new Uint8Array(),
  sentAt: 0,
  receivedAt: 0,
};
const element = '{"id":1,"name":"dog"}';
const never = new AbortController().signal;

/** Seconds that pass, or text that comes then; and again and again from `cycle` on. */
type Script = { readonly steps: readonly (number | string)[]; readonly cycle?: number };

async function* play(clock: Clock, { steps, cycle }: Script): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; at += 1) {
    if (at === steps.length && cycle === undefined) return;
    const step = steps[at < steps.length ? at : at - steps.length + (cycle ?? 0)];
    if (at >= steps.length) at -= steps.length - (cycle ?? 0);
    if (typeof step === 'number') await clock.sleep(step * 1_000, never);
    else yield Buffer.from(step ?? '');
  }
}

/** What becomes of a list whose rest comes like this, with 30 s for each piece. */
async function read(clock: Clock, script: Script, taken = async () => {}) {
  const start = clock.uptime();
  const context = { ...clock, signal: never } as unknown as Context;
  const rest = restOf(play(clock, script), {
    context,
    timeout: 30_000,
    host: 'pets.example',
    read: [Buffer.from('[')],
    received: 1,
    contentLength: undefined,
    close: () => {},
  });
  let count = 0;
  const seconds = () => (clock.uptime() - start) / 1_000;
  try {
    for await (const pieces of decodePieces(listCategories, answer, rest, () => {})) {
      count += pieces.length;
      await taken();
    }
    return { count, seconds: seconds(), error: undefined };
  } catch (error) {
    return { count, seconds: seconds(), error };
  } finally {
    rest.close();
  }
}

describe('the rest of a long list', () => {
  test.for([
    { what: 'one blank after another', steps: [2, ' '] },
    { what: 'blanks inside an element', steps: ['{', 2, ' '], cycle: 1 },
    { what: 'an element that grows byte by byte', steps: ['{"id":1,"name":"', 2, 'x'], cycle: 1 },
    { what: 'blanks after the last element', steps: [`${element}]`, 2, ' '], cycle: 1 },
    { what: 'blanks after a comma', steps: [`${element},`, 2, '\n'], cycle: 1 },
    { what: 'silence', steps: [element, 1_000] },
  ])('with $what ends at the timeout', async ({ steps, cycle = 0 }, { clock }) => {
    const { error, seconds } = await read(clock, { steps, cycle });

    expect(error).toBeInstanceOf(Undelivered);
    expect((error as Error).message).toBe(
      'the response from pets.example timed out: no further element in 30s',
    );
    expect(seconds).toBeGreaterThanOrEqual(30);
    expect(seconds).toBeLessThan(33);
  });

  test('may take 29 s for each element, for as long as it goes on', async ({ clock }) => {
    const slow = Array.from({ length: 10 }, () => [29, `${element},`]).flat();

    const { error, count, seconds } = await read(clock, { steps: [...slow, 29, `${element}]`] });

    expect({ error, count, seconds }).toEqual({ error: undefined, count: 11, seconds: 11 * 29 });
  });

  test('has its whole time for an element after one that came shortly after another', async ({
    clock,
  }) => {
    const steps = [element, 0.2, `,${element}`, 29.9, `,${element}]`];

    expect(await read(clock, { steps })).toMatchObject({ error: undefined, count: 3 });
  });

  test('does not have to make up for the time that its reader takes', async ({ clock }) => {
    const steps = [10, `${element},`, 10, `${element},`, 10, `${element}]`];
    const taken = () => clock.sleep(3_600_000, never);

    expect(await read(clock, { steps }, taken)).toMatchObject({ error: undefined, count: 3 });
  });

  test('is refused for more than 1 MiB of whitespace, however fast it comes', async ({ clock }) => {
    const { error, seconds } = await read(clock, { steps: [' '.repeat(64 * 1024)], cycle: 0 });

    expect((error as Error).message).toContain('an element is longer than 1 MiB');
    expect(seconds).toBe(0);
  });
});
