import { expect, reply, test, testKey } from '../support/petstore.ts';
import { interrupted } from '../support/values.ts';

test.for<readonly [string, RegExp]>([
  ['-q --columns id categories list -o csv', /^id\n1\n$/],
  ['config get output --json', /"value": "table"/],
  ['--query [].id categories list -o raw', /^1\n$/],
  ['categories list --json -qocsv --columns name', /^name\ndog\n$/],
  ['categories list -o csv --json', /^\[\n/],
  ['-o csv categories list --json -o table -ojson', /^\[\n/],
  ['--no-header config list -o csv', /^profile,production,default\nbase-url,/],
  ['pets --no-color get 1', /Bello/],
  ['categories list -V', /^\d+\.\d+\.\d+\n$/],
  ['categories --json list -o csv', /^id,/],
  ['--max-wait 1m config get max-wait --max-wait 3m', /^3m\n$/],
  ['config --max-wait 1m get --max-wait 3m max-wait', /^3m\n$/],
  ['-p staging config get profile -p sandbox', /^sandbox\n$/],
])(
  'options may stand anywhere, and the last format counts: %s',
  async ([line, stdout], { petstore, sandbox }) => {
    if (line.includes('categories')) sandbox.reactions.push(reply(200, [{ id: 1, name: 'dog' }]));

    const result = await petstore(line, line.includes('color') ? { columns: 80 } : {});

    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(stdout);
    expect(result.stdout + result.stderr).not.toContain('\u001b');
  },
);

test.for([
  ['--description -vintage', '-vintage'],
  ['--description=-q:quiet', '-q:quiet'],
  ['--description -ojson', '-ojson'],
  ['--description --jso', '--jso'],
  ['--description --json=', '--json='],
  ['--profile production -d -pets', '-pets'],
  ['-d --', '--'],
  ['-d-h', '-h'],
  ['-qd-V', '-V'],
  ['--description=--json', '--json'],
  ['--profile production --description=-o', '-o'],
  ['-pproduction --no-color -d x', 'x'],
  ['--no-color -d x -- ', 'x'],
] as const)('a value is a value, whatever it looks like: %s', async (row, { petstore }) => {
  const [flags, value] = row;
  const csv = ['-o', 'csv', '--columns', 'name,description', '--no-header'];

  const line = ['categories', 'create', 'dog', '-q', ...csv, ...flags.trim().split(' ')];
  const { stdout } = await petstore(line);

  expect(stdout).toBe(`dog,${value}\n`);
});

test('an invalid character of a list where two pieces of it meet is found', async ({
  petstore,
  sandbox,
}) => {
  const half = '[{"id":1,"name":"'.padEnd(65_535, 'a');
  const body = Buffer.from(`${half}\xe7${'a'.repeat(65_536)}\x8a\xac"}]`, 'latin1');
  sandbox.react = () => new Response(body);

  const stderr = expect.stringContaining('invalid UTF-8');
  expect(await petstore('categories list')).toMatchObject({ exitCode: 5, stdout: '', stderr });
});

test('a write that was refused is said when the run is terminated meanwhile', async ({
  petstore,
  sandbox,
}) => {
  const stop = new AbortController();
  sandbox.reactions.push(async (_request, forward) => {
    const response = await forward();
    stop.abort(interrupted(143));
    return response;
  });

  const result = await petstore('api POST /categories --data {}', { signal: stop.signal });

  const stderr = expect.stringContaining('refused the request');
  expect(result).toMatchObject({ exitCode: 143, stdout: '', stderr });
});

test.for<readonly [string, boolean, string | undefined]>([
  ['orders list', false, undefined],
  ['orders list', true, undefined],
  ['categories create x', false, 'not_sent'],
  ['categories create x', true, 'unknown'],
])('a bug in sending ends %s, sent: %s', async ([command, isSent, outcome], { petstore }) => {
  let requests = 0;
  const send = async ({ onSent }: { readonly onSent: () => void }) => {
    requests += 1;
    if (isSent) onSent();
    throw new TypeError(`cannot use ${testKey}`);
  };

  const { exitCode, events } = await petstore(`${command} --json`, { context: { send } });
  const silent = await petstore('orders list --quiet', { context: { send } });
  const verbose = await petstore('orders list --verbose', { context: { send } });

  expect([exitCode, silent.exitCode, verbose.exitCode, requests]).toEqual([1, 1, 1, 3]);
  const message = 'unexpected internal error: TypeError: cannot use [key]';
  expect(events().at(-1)).toMatchObject({ kind: 'internal', message });
  expect(events().at(-1)?.outcome).toBe(outcome);
  expect(silent.stderr).toMatch(/^petstore: unexpected internal error: .*\n(?!.* {4}at )/);
  expect(verbose.stderr).toMatch(/^petstore: {5}at /m);
});

test.for(['', 'categories '])(
  '"petstore %s" at a terminal asks for help',
  async (line, { petstore }) => {
    const { stdout } = await petstore(`${line}--help`, { columns: 80 });
    const env = { PETSTORE_OUTPUT: 'json' };

    const help = { exitCode: 0, stdout, stderr: '' };
    expect(await petstore(line, { columns: 80, env })).toMatchObject(help);
    expect(await petstore(`${line}-q`, { columns: 80 })).toMatchObject({ exitCode: 2, stdout: '' });
  },
);
