import { expect, reply, test } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

/** The header of a table is bold where it is. */
test.for([
  ['on a terminal', { columns: 200 }, [], true],
  ['with FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, [], true],
  ['in a pipe', {}, [], false],
  ['with NO_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, [], false],
  ['with FORCE_COLOR=0', { columns: 200, env: { FORCE_COLOR: '0' } }, [], false],
  ['with --no-color', { columns: 200 }, ['--no-color'], false],
  ['with an empty NO_COLOR', { columns: 200, env: { NO_COLOR: '', FORCE_COLOR: '' } }, [], true],
  ['on a dumb terminal', { columns: 200, env: { TERM: 'dumb' } }, [], false],
  ['on one without a name', { columns: 200, env: { TERM: '' } }, [], false],
  ['as JSON', { env: { FORCE_COLOR: '1' } }, ['--json'], false],
] as const)('what is said has a colour, or none: %s', async (row, { petstore, sandbox }) => {
  const [what, options, more, isColored] = row;
  const isBold = isColored || what === 'as JSON';
  sandbox.categories.push({ id: exact('1'), name: 'dog' });
  const list = await petstore(['categories', 'list', ...more], options);
  expect(list.stdout.includes('\u001b[1m')).toBe(isColored);
  for (const line of ['help', 'help exit-codes', 'categories list --help']) {
    const { stdout } = await petstore([...line.split(' '), ...more], options);

    expect(stdout.includes('\u001b[1m'), line).toBe(isBold);
  }
  for (const argv of [
    ['pets', 'get', '1'],
    ['categories', 'create', ''],
    ['categories', 'lst'],
  ]) {
    const { stderr } = await petstore([...argv, ...more], options);

    expect(stderr).toMatch(/deprecat|invalid|lst/);
    expect(stderr.includes('\u001b[')).toBe(isColored);
  }
});

test('of a reason 300 characters are shown, of its body 1,000; the event keeps the message', async ({
  petstore,
  sandbox,
}) => {
  const dogs = '🐕'.repeat(2_000);
  const message = `This category has more dogs than the garden of the house:${dogs}`;
  sandbox.react = () => reply(422, { code: 'x', message });
  const reason = `${message.slice(0, 299)}…`;

  const { stderr } = await petstore('categories create rabbit -v --no-color', { columns: 40 });
  const { events } = await petstore('categories create rabbit -v --json');

  expect(stderr).toContain(`petstore: the service refused the request (422 x): ${reason}\n`);
  expect(events().at(-1)).toMatchObject({ code: 'x', message, status: 422 });
  const body = `{"code":"x","message":"${message}`.slice(0, 1_000);
  const lines = [...stderr.matchAll(/^petstore: << (.*)$/gm)].map(([, line]) => line);
  expect(lines.join('')).toBe(`${body}…`);
  expect(events()).toContainEqual(
    expect.objectContaining({ response: expect.objectContaining({ body: `${body}…` }) }),
  );
});
