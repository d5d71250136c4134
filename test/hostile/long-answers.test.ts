import fc from 'fast-check';
import { describe } from 'vitest';
import { formats } from '../../src/formats.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

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
      trials(40),
    );
  });

  test('is refused like a short one, however it ends', async ({ petstore, sandbox }) => {
    const one = `{"id":1,"name":"${'x'.repeat(900 * 1024)}"}`;
    for (const end of ['', ',', ',]', '}', '"]', ']]', '][', '] 1', ']\u00a0', ',1 2]']) {
      for (const count of [1, 2, 10]) {
        sandbox.react = () => reply(200, `[${Array(count).fill(one).join()}${end}`);

        const { exitCode, stdout } = await petstore(['categories', 'list', '-o', 'json']);

        expect({ end, exitCode }).toEqual({ end, exitCode: 5 });
        // What is above 8 MiB may have been begun; it never looks whole.
        expect(count < 10 ? stdout : stdout.slice(-2)).not.toMatch(/\]\n$/);
        if (count < 10) expect(stdout).toBe('');
      }
    }
  });

  test('is refused with the number of the element at fault', async ({ petstore, sandbox }) => {
    const one = `{"id":1,"name":"${'x'.repeat(900 * 1024)}"}`;
    sandbox.react = () => reply(200, `[${one},${one},${one},{"id":2}]`);

    const { exitCode, stdout, stderr } = await petstore(['categories', 'list']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
    expect(stderr).toContain('item 4: name is missing');
  });

  test('may have 500,000 values', async ({ petstore, sandbox }) => {
    const ones = (count: number) => Array(count).fill(1).join();
    sandbox.reactions.push(
      reply(200, `{"data":[${ones(499_998)}]}`),
      reply(200, `{"data":[${ones(499_999)}]}`),
      reply(200, `[${ones(500_000)}]`),
    );
    const argv = ['api', 'GET', '/x', '-o', 'ndjson'];

    expect(await petstore(argv)).toMatchObject({ exitCode: 0 });
    for (const refused of [await petstore(argv), await petstore(argv)]) {
      expect(refused).toMatchObject({ exitCode: 5, stdout: '' });
      expect(refused.events().at(-1)).toMatchObject({
        kind: 'service',
        message: 'the response is too large: more than 500,000 values',
      });
    }
  });

  test('may be 8 MiB long', async ({ petstore, sandbox }) => {
    const text = 'x'.repeat(8 * 1024 * 1024 - 20);
    sandbox.reactions.push(reply(200, { data: text }), reply(200, { data: `${text}${text}` }));
    const argv = ['api', 'GET', '/x', '-o', 'ndjson'];

    expect((await petstore(argv)).stdout.length).toBeGreaterThan(text.length);
    const refused = await petstore(argv);

    expect(refused).toMatchObject({ exitCode: 5, stdout: '' });
    expect(refused.stderr).toContain('the response is larger than 8,388,608 bytes');
  });

  test('that answers a write may not have more than that either, and it was carried out', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, `[${Array(500_000).fill(1).join()}]`));

    const { exitCode, stderr } = await petstore(['api', 'POST', '/x', '--data', '{}', '--json']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain('"outcome":"unknown"');
  });
});

function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
