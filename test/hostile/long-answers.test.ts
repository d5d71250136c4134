import fc from 'fast-check';
import { describe } from 'vitest';
import { formats } from '../../src/formats.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

describe('a long answer of any kind', () => {
  const element = fc.oneof(
    fc.dictionary(fc.constantFrom('id', 'name', '7', 'more'), fc.jsonValue({ maxDepth: 2 })),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const list = fc.oneof(
    fc.array(element, { minLength: 2, maxLength: 12 }),
    fc.array(
      fc.record(
        { id: fc.nat(), name: fc.string(), more: fc.array(fc.nat(), { maxLength: 3 }) },
        { requiredKeys: ['id'] },
      ),
      { minLength: 2, maxLength: 12 },
    ),
  );
  /** Whitespace that makes it longer than what is decoded all at once. */
  const blank = ' '.repeat(Math.ceil((1024 * 1024) / 12));

  for (const format of formats) {
    test(`is printed as ${format} just as a short one`, async ({ petstore, sandbox }) => {
      await fc.assert(
        fc.asyncProperty(
          list,
          fc.constantFrom([], ['--columns', 'name,id'], ['--columns', 'nowhere']),
          async (list, columns) => {
            const short = `[${list.map((item) => JSON.stringify(item)).join()}]`;
            const parts = list.map(
              (item) => JSON.stringify(item) + blank.repeat(Math.ceil(12 / list.length)),
            );
            const argv = ['orders', 'list', '-q', '-o', format, '--no-header', ...columns];
            sandbox.reactions.push(reply(200, short), reply(200, `[${parts.join()}   ]`));

            const whole = await petstore(argv);
            const inPieces = await petstore(argv);

            expect(inPieces).toMatchObject({ exitCode: 0, stderr: whole.stderr });
            expect(inPieces.stdout).toBe(whole.stdout);
          },
        ),
        trials(60),
      );
    });
  }

  test('may have 150,000 values in one, and more in a list', async ({ petstore, sandbox }) => {
    const ones = (count: number) => Array(count).fill(1).join();
    sandbox.reactions.push(
      reply(200, `{"data":[${ones(149_998)}]}`),
      reply(200, `[${ones(700_000)}]`),
      reply(200, `{"data":[${ones(149_999)}]}`),
      reply(200, `[0,[${ones(150_000)}],${ones(500_000)}]`),
    );
    const argv = ['api', 'GET', '/x', '-o', 'ndjson'];

    expect(await petstore(argv)).toMatchObject({ exitCode: 0 });
    expect((await petstore(argv)).stdout.length).toBe(1_400_000);
    const [tooMany, inElement] = [await petstore(argv), await petstore(argv)];

    expect(tooMany).toMatchObject({ exitCode: 5, stdout: '' });
    expect(tooMany.events().at(-1)).toMatchObject({
      kind: 'service',
      message: 'the response is too large: more than 150,000 values',
    });
    expect(inElement).toMatchObject({ exitCode: 5, stdout: '' });
    expect(inElement.events().at(-1)).toMatchObject({
      message: 'the response is too large: an element has more than 20,000 values',
    });
  });

  test('may be 4 MiB long, and a list longer', async ({ petstore, sandbox }) => {
    const text = 'x'.repeat(900 * 1024);
    const many = Array(5).fill(text);
    sandbox.reactions.push(
      reply(200, many.slice(0, 4)),
      reply(200, many),
      reply(200, { data: many }),
    );
    const argv = ['api', 'GET', '/x', '-o', 'ndjson'];

    expect((await petstore(argv)).stdout.length).toBeGreaterThan(4 * text.length);
    expect((await petstore(argv)).stdout.length).toBeGreaterThan(5 * text.length);
    const refused = await petstore(argv);

    expect(refused).toMatchObject({ exitCode: 5, stdout: '' });
    expect(refused.stderr).toContain('too large: only an array may be longer than 4 MiB');
  });

  test('that answers a write may not have more than that either, and it was carried out', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(200, `[${Array(300_000).fill(1).join()}]`));

    const { exitCode, stderr } = await petstore(['api', 'POST', '/x', '--data', '{}', '--json']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain('"outcome":"unknown"');
  });
});
