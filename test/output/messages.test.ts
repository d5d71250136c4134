import { describe } from 'vitest';
import { expect, networkError, reply, test } from '../support/petstore.ts';

const looks = { dim: 2, red: 31, yellow: 33 };
const start = '\u001b[';
const wide = { columns: 200 };

/** The lines of stderr that are in a colour, without it. */
function linesIn(look: keyof typeof looks, stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith(`${start}${looks[look]}m`))
    .map((line) => line.slice(line.indexOf('m') + 1, line.lastIndexOf(start)));
}

describe('colour on stderr has a meaning', () => {
  test('the rate limit is dim, a deprecation and a warning are yellow, a notice has none', async ({
    petstore,
    sandbox,
  }) => {
    const pet = await petstore(['pets', 'get', '1'], wide);
    sandbox.reactions.push(reply(201, { id: 1, name: 'Rabbit' }));
    const renamed = await petstore(['categories', 'create', 'rabbit'], wide);
    const saved = await petstore(['config', 'set', 'output', 'table'], wide);
    const forced = await petstore(['limits', '--refresh'], { env: { FORCE_COLOR: '1' } });

    expect(linesIn('dim', pet.stderr)).toEqual([expect.stringMatching(/^rate limit: 59 of 60/)]);
    expect(linesIn('yellow', pet.stderr)).toEqual([expect.stringMatching(/^deprecated: /)]);
    const warning = 'petstore: the service changed the name to "Rabbit"';
    expect(linesIn('yellow', renamed.stderr)).toEqual([warning]);
    expect(saved.stderr).toMatch(/^petstore: saved/);
    expect(forced.stderr).toContain(start);
  });

  test('of an error the first line is red', async ({ petstore, sandbox }) => {
    sandbox.react = () => networkError('ECONNREFUSED');

    for (const verb of ['list', 'lst']) {
      const { stderr } = await petstore(['categories', verb], wide);

      expect(linesIn('red', stderr)).toEqual([expect.stringMatching(/^petstore: /)]);
      expect(stderr.split(start)).toHaveLength(3);
    }
  });

  test.for([
    ['in a pipe', {}, []],
    ['with NO_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, []],
    ['with FORCE_COLOR=0', { ...wide, env: { FORCE_COLOR: '0' } }, []],
    ['with --no-color', wide, ['--no-color']],
    ['on a dumb terminal', { ...wide, env: { TERM: 'dumb' } }, []],
    ['as JSON', { ...wide, env: { FORCE_COLOR: '1' } }, ['--json']],
  ] as const)('and there is none %s', async ([, options, argv], { petstore }) => {
    const { stderr } = await petstore(['pets', 'get', '1', ...argv], options);

    expect(stderr).toContain('deprecat');
    expect(stderr).not.toContain(start);
  });
});

describe('what the service says', () => {
  const create = ['categories', 'create', 'rabbit', '--no-color'];

  test('stays in the line of its message', async ({ petstore, sandbox }) => {
    const message = 'no\nrate limit: 9 of 9 left\r\u2028petstore: done';
    sandbox.reactions.push(reply(422, { code: 'x', message, status: 422 }));

    const { stderr } = await petstore(create);

    expect(stderr).not.toMatch(/^(?:rate limit: 9|petstore: done)/m);
    expect(stderr).toContain('(422 x): no\\u{a}rate limit');
  });

  test('is not broken, so that a command in it can be copied', async ({ petstore, sandbox }) => {
    const message = 'The 犬 cannot be walked while the cat is in the garden with the guinea pigs';
    sandbox.react = () => reply(422, { code: 'x', message, status: 422 });

    const { stderr } = await petstore(create, { columns: 40 });

    expect(stderr).toContain(`petstore: the service refused the request (422 x): ${message}\n`);
  });
});
