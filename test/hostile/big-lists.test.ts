import fc from 'fast-check';
import { describe } from 'vitest';
import type { Context, WireRequest } from '../../src/context.ts';
import { Interruption } from '../../src/errors.ts';
import { formats } from '../../src/formats.ts';
import { startTime } from '../support/clock.ts';
import { test as base, expect, outputTo, reply, silence } from '../support/petstore.ts';
import { createGate } from '../support/program.ts';
import { trials } from '../support/random.ts';

/** One of 96 bytes, so that 100,000 are longer than what is read whole. */
const element = (n: number) =>
  `{"id":${2n ** 53n + BigInt(n)},"name":"category ${String(n).padStart(6, '0')}","description":"The one of ${String(n).padStart(6, '0')} é"}`;

const elements = Array.from({ length: 100_000 }, (_, n) => element(n + 1));
const whole = `[${elements.join()}]`;
/** How many elements are surely in what is read before anything is printed. */
const many = 90_000;

type Wire = {
  readonly text: string | Uint8Array;
  /** Is awaited before the part that begins at this byte; time stands still until `release` is called, or all is sent. */
  readonly before?: (at: number, release: () => void) => unknown;
  /** What happens when all of it was sent; it ends by itself otherwise. */
  readonly end?: (request: WireRequest) => Promise<void>;
};

/** Bytes of a part. */
const part = 65_521;

const test = base.extend<{ serve: (wire: Wire) => void }>({
  /** Lets the service send this in parts, as they are taken. */
  serve: ({ sandbox, clock }, use) =>
    use(({ text, before, end }) => {
      const bytes = Buffer.from(text);
      sandbox.reactions.push(async (request) => {
        request.onSent();
        const release = clock.hold();
        const body = (async function* () {
          for (let at = 0; at < bytes.length; at += part) {
            request.signal.throwIfAborted();
            await before?.(at, release);
            yield bytes.subarray(at, at + part);
          }
          release();
          await end?.(request);
        })();
        return { status: 200, headers: { 'content-type': 'application/json' }, body };
      });
    }),
});

const ndjson = ['categories', 'list', '-o', 'ndjson'];

const cut = () => Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));

function fields(json: string) {
  const [, id = '', name = '', description = ''] =
    /:(\d+),"name":"(.*)","description":"(.*)"/.exec(json) ?? [];
  return { id, name, description };
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

describe('a list above 8 MiB', () => {
  test('is searched while it comes, and its columns are chosen', async ({ petstore, serve }) => {
    serve({ text: whole });
    serve({ text: whole });
    const argv = ['categories', 'list', '--columns', 'name,id', '--search'];

    const some = await petstore([...argv, 'CATEGORY 09999', '-o', 'tsv']);
    const none = await petstore([...argv, 'nothing of it']);

    const found = elements.slice(99_989, 99_999).map(fields);
    expect(some.stdout).toBe(lines(['name\tid', ...found.map(({ id, name }) => `${name}\t${id}`)]));
    expect(none).toMatchObject({ exitCode: 0, stdout: '' });
    expect(none.stderr).toMatch(/^petstore: No categories match "nothing of it"\.\n/);
  });

  test('is closed once --limit is reached', async ({ petstore, sandbox, serve }) => {
    const parts: number[] = [];
    serve({ text: whole, before: (at) => parts.push(at) });

    const run = await petstore([...ndjson, '--limit', '7']);

    expect(run).toMatchObject({ exitCode: 0, stdout: lines(elements.slice(0, 7)) });
    expect(sandbox.requests[0]?.signal.aborted).toBe(true);
    expect(parts.at(-1)).toBeLessThan(Buffer.byteLength(whole) - part);
  });
});

describe('a list above 8 MiB that breaks', () => {
  const kept = whole.slice(0, -20_000);
  const notUtf8 = Buffer.concat([Buffer.from(kept), Buffer.of(0xff), Buffer.from(kept)]);
  test.for<[what: string, sent: Wire, says: RegExp]>([
    ['the connection', { text: kept, end: cut }, /^the response from \S+ was cut short/],
    ['bytes that are no UTF-8', { text: notUtf8 }, /got invalid UTF-8/],
  ])(
    'by %s ends with 5, and says how many were printed',
    async ([, sent, says], { petstore, sandbox, serve }) => {
      serve(sent);

      const { exitCode, stdout, events } = await petstore(ndjson);

      expect(exitCode).toBe(5);
      const printed = stdout.split('\n').length - 1;
      expect(printed).toBeGreaterThan(many);
      expect(stdout === lines(elements.slice(0, printed))).toBe(true);
      const { message = '' } = events().find(({ event }) => event === 'error') ?? {};
      const tail = `; the list is incomplete: ${printed} printed`;
      expect(message).toMatch(new RegExp(`${tail}$`));
      expect(String(message).slice(0, -tail.length)).toMatch(says);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test.for(['json', 'table'])('never looks whole as %s', async (format, { petstore, serve }) => {
    serve({ text: kept, end: cut });

    const { exitCode, stdout, stderr } = await petstore(['categories', 'list', '-o', format]);

    expect(exitCode).toBe(5);
    const printed = stdout.match(/category \d/g)?.length;
    expect(stderr).toContain(`the list is incomplete: ${printed} printed`);
    expect(stdout.endsWith(']\n')).toBe(false);
  });

  test('before anything was printed is asked for again, and comes out whole and exact', async ({
    petstore,
    serve,
  }) => {
    serve({ text: whole.slice(0, 1_000_000), end: cut });
    serve({ text: whole });

    const { exitCode, stdout } = await petstore(ndjson);

    expect(exitCode).toBe(0);
    expect(stdout === lines(elements)).toBe(true);
  });

  test('by Ctrl-C exits 130 at once, and says how many were printed', async ({
    petstore,
    sandbox,
    clock,
    serve,
  }) => {
    const interrupted = new AbortController();
    const end = () => {
      interrupted.abort(new Interruption(130));
      return silence;
    };
    serve({ text: kept, end });

    const result = await petstore('categories list -o csv', {
      signal: interrupted.signal,
    });

    expect(result.exitCode).toBe(130);
    expect(clock.now()).toBe(startTime);
    const printed = result.stdout.match(/category/g)?.length;
    expect(result.stderr).toContain(`interrupted; the list is incomplete: ${printed} printed\n`);
    expect(sandbox.requests[0]?.signal.aborted).toBe(true);
  });
});

describe('the reader of a list above 8 MiB', () => {
  /** A pipe that takes what comes when `write` resolves. */
  function reader(write: Context['stdout']['write']): Pick<Context, 'stdout'> {
    return { stdout: outputTo(write) };
  }

  test('is waited for (backpressure): no more is read meanwhile', async ({ petstore, serve }) => {
    const [paused, hasBegun] = [createGate(), createGate()];
    let taken = 0;
    serve({
      text: whole,
      before: (at) => {
        taken = at;
      },
    });
    const ready = () => {
      hasBegun.open();
      return paused.opened;
    };

    const run = petstore(ndjson, { context: reader(ready) });
    await hasBegun.opened;
    const takenBefore = taken;
    for (let turns = 0; turns < 1_000; turns += 1) await turn();
    const takenMeanwhile = taken;
    paused.open();

    expect((await run).exitCode).toBe(0);
    expect(takenMeanwhile).toBe(takenBefore);
    expect(takenBefore).toBeLessThan(8.1 * 1024 * 1024);
    expect(taken).toBeGreaterThan(Buffer.byteLength(whole) - part);
  });

  test('may take an hour, and the service 29 s for each piece: no time runs out', async ({
    petstore,
    clock,
    serve,
  }) => {
    const { signal } = new AbortController();
    const isNearEnd = (at: number) => at >= Buffer.byteLength(whole) - 2 * part;
    serve({
      text: whole,
      async before(at, release) {
        if (!isNearEnd(at)) return;
        release();
        await clock.sleep(29_000, signal);
      },
    });
    let printed = '';
    const write = async (text: string) => {
      printed += text;
      // Until all of the beginning has been taken, time stands still.
      if (clock.now() > startTime) await clock.sleep(3_600_000, signal);
    };

    const { exitCode } = await petstore(ndjson, { context: reader(write) });

    expect(exitCode).toBe(0);
    expect(printed === lines(elements)).toBe(true);
    expect(clock.now() - startTime).toBeGreaterThanOrEqual(3_600_000 + 2 * 29_000);
  });

  test('that is a slow terminal is spared the rest of a shorter one, too, by Ctrl-C', async ({
    petstore,
    serve,
  }) => {
    const interrupted = new AbortController();
    let writes = 0;
    // It takes a write before the event loop goes on, and only then a signal is heard.
    const context = {
      ...reader(async () => {
        writes += 1;
      }),
      yieldToIo: async () => {
        if (writes === 2) interrupted.abort(new Interruption(130));
      },
    };
    serve({ text: `[${elements.slice(0, 20_000).join()}]` });

    const result = await petstore('categories list', { signal: interrupted.signal, context });

    expect(writes).toBe(2);
    expect(result.exitCode).toBe(130);
    expect(result.stderr).toMatch(/interrupted; the list is incomplete: \d+ printed\n/);
  });
});

describe('a long answer of any kind', () => {
  const queries = ['[].name', '[0]', '[-1]', '[::2]', '[1:3].id', '[?id > `3`].id', 'length(@)'];
  const records = ['[].[id, name]', '[].{n: name, i: id}', '[*] | [1]', '[].more[]', '@', '*'];

  const timeout = 600_000;
  test('is the same in whatever pieces it comes, with a query too, and refused alike', {
    timeout,
  }, async ({ petstore, sandbox, clock }) => {
    const damage = fc.option(
      fc.tuple(fc.nat(), fc.string({ unit: fc.constantFrom(...'[]{},:"1 \\n'), maxLength: 2 })),
    );
    const category = fc.record(
      { id: fc.nat(), name: fc.string(), description: fc.string({ unit: 'grapheme' }) },
      { requiredKeys: ['id', 'name'] },
    );
    const odd = fc.record(
      {
        id: fc.constantFrom(1, '9007199254740993', 'x', 1.5, null, 1e20),
        name: fc.constantFrom('dog', '', null, 1),
        description: fc.constantFrom('Loyal', '', null, {}),
        more: fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: [] },
    );
    const lists = fc.oneof(
      fc.array(category, { minLength: 2, maxLength: 12 }),
      fc.tuple(category, odd, category),
    );
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.constantFrom(...formats),
        fc.constantFrom(
          [],
          ...[...queries, ...records].map((query) => ['--query', query]),
          ['--columns', 'name,id'],
          ['--columns', 'nowhere', '--no-header'],
        ),
        damage,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        async (list, format, flags, damage, sizes) => {
          // No more than 1 MiB of blanks is between two of them.
          const items = Array.from({ length: 12 }, (_, n) => list[n % list.length]);
          const parts = items.map((item, at) => `${at === 0 ? '[' : ','}${JSON.stringify(item)}`);
          parts.push(']');
          const at = damage ? damage[0] % parts.length : 0;
          const part = parts[at] ?? '';
          const cut = damage ? damage[0] % (part.length + 1) : 0;
          if (damage) parts[at] = part.slice(0, cut) + damage[1] + part.slice(cut + 1);
          // Longer than 8 MiB, which is read in pieces.
          const blank = Buffer.alloc((9 * 1024 * 1024) / 12, ' ');
          let release = () => {};
          // An unknown column is refused before a request.
          sandbox.reactions.length = 0;
          sandbox.reactions.push(reply(200, parts.join('')), async (request) => {
            request.onSent();
            release = clock.hold();
            const body = (async function* () {
              for (const [n, part] of parts.entries()) {
                const bytes = Buffer.from(part);
                for (let at = 0, size = 0; at < bytes.length; at += size) {
                  size = sizes[(at + n) % sizes.length] ?? 1;
                  yield bytes.subarray(at, at + size);
                }
                if (n < parts.length - 1) yield* inParts(blank);
              }
            })();
            return { status: 200, headers: { 'content-type': 'application/json' }, body };
          });
          const argv = ['categories', 'list', '-q', '-o', format, ...flags];

          const whole = await petstore(argv);
          const inPieces = await petstore(argv);
          release();

          expect(inPieces.exitCode, inPieces.stderr).toBe(whole.exitCode);
          if (whole.exitCode === 0) expect(inPieces.stdout).toBe(whole.stdout);
          else expect(whole.stdout).toBe('');
        },
      ),
      trials(20),
    );
  });

  test('is refused like a short one, however it ends', async ({ petstore, sandbox }) => {
    const one = `{"id":1,"name":"${'x'.repeat(900 * 1024)}"}`;
    for (const end of ['', ',', ',]', '}', '"]', ']]', '][', '] 1', ']\u00a0', ',1 2]']) {
      for (const count of [1, 2, 10]) {
        sandbox.react = () => reply(200, `[${Array(count).fill(one).join()}${end}`);

        const { exitCode, stdout } = await petstore('categories list -o json');

        expect({ end, exitCode }).toEqual({ end, exitCode: 5 });
        // What is above 8 MiB may have been begun; it never looks whole.
        expect(count < 10 ? stdout : stdout.slice(-2)).not.toMatch(/\]\n$/);
        if (count < 10) expect(stdout).toBe('');
      }
    }
  });

  const ones = (count: number) => Array(count).fill(1).join();
  const text = 'x'.repeat(8 * 1024 * 1024 - 20);
  const tooMany = 'the response is too large: more than 500,000 values';
  test.for<[what: string, line: string, body: unknown, code: number, says: string]>([
    ['500,000 values', 'api GET /x', `{"data":[${ones(499_998)}]}`, 0, ''],
    ['one more', 'api GET /x', `{"data":[${ones(499_999)}]}`, 5, tooMany],
    ['one more without a name', 'api GET /x', `[${ones(500_000)}]`, 5, tooMany],
    ['8 MiB', 'api GET /x', { data: text }, 0, ''],
    ['more bytes', 'api GET /x', { data: text + text }, 5, 'larger than 8,388,608 bytes'],
    ['too much behind a write', 'api POST /x --data {}', `[${ones(500_000)}]`, 6, 'unknown'],
    [
      'a fourth element at fault',
      'categories list',
      `[${`{"id":1,"name":"${'x'.repeat(900 * 1024)}"},`.repeat(3)}{"id":2}]`,
      5,
      'item 4: name is missing',
    ],
  ])('of %s', async ([, line, body, code, says], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, body));

    const { exitCode, stdout, stderr } = await petstore(`${line} -o ndjson`);

    expect(exitCode).toBe(code);
    expect(stdout === '').toBe(code !== 0);
    expect(stderr).toContain(says);
  });
});

function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
