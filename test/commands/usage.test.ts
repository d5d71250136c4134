import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, networkError, reply, test, testKey } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import { formats, interrupted } from '../support/values.ts';

describe('usage and configuration errors', () => {
  const columns = 'Columns: id, name, description';
  const fields = 'One of: id, name, description';
  const seeList = 'See: petstore categories list --help';
  const login = 'petstore auth login (or set PETSTORE_API_KEY)';
  const keyless = { PETSTORE_API_KEY: undefined };
  const addressless = { PETSTORE_BASE_URL: undefined };
  const example = 'Example: https://HOST/v1';
  const http = 'Must start with https://, since http would send the API key unencrypted';

  /** A command line, the message and the hint; environment and exit code where they are not the usual ones. */
  type Row = readonly [string, string, string?, Record<string, string | undefined>?, number?];
  test.for<Row>([
    ['categories list --serch', 'unknown option --serch', 'Did you mean --search?'],
    ['orders list -L 3', 'unknown option -L', 'See: petstore orders list --help'],
    ['--jsno limits', 'unknown option --jsno', 'Did you mean --json?'],
    ['categories list -q []', 'too many arguments', 'Usage: petstore categories list|ls [options]'],
    ['categories list --json=foo', '--json takes no value', seeList],
    ['categories import x --dry-run=yes', '--dry-run takes no value', 'petstore categories import'],
    ['categories list --description x', 'unknown option --description', seeList],
    ['categorys list', 'unknown command "categorys"', 'Did you mean petstore categories?'],
    ['categorie', 'unknown command "categorie"', 'Did you mean petstore categories?'],
    ['categories lst', '"lst" for petstore categories', 'Did you mean petstore categories list?'],
    ['categories crate x', '"crate" for petstore categories', 'petstore categories create?'],
    ['auth SECRETSECRET1', 'unknown command for petstore auth', 'See: petstore auth --help'],
    ['categories create', 'argument <name>', 'Usage: petstore categories create [options] <name>'],
    [
      'categories create a b',
      'too many arguments for petstore categories create: unexpected "b"',
      'Quote a value that contains spaces.',
    ],
    [
      'categories list x',
      'too many arguments for petstore categories list: unexpected "x"',
      'Usage: petstore categories',
    ],
    ['categories list x --lost', 'unknown option --lost', 'Did you mean --sort?'],
    ['categories list --sort', 'missing value for --sort', fields],
    ['categories list --sort nmae', '"nmae" for --sort', `Did you mean name? ${fields}`],
    ['categories list -o jsn', 'invalid value "jsn" for --output', 'Did you mean json? One of: '],
    ['config set base-ulr x', 'invalid value for <setting>', 'Did you mean base-url? One of: '],
    ['orders list --api-key-file k --jsno', 'unknown option --jsno', 'Did you mean --json?'],
    ['categories list --sort size', 'invalid value "size" for --sort', fields],
    [
      'categories list --limit',
      'missing value for --limit',
      'See: petstore categories list --help',
    ],
    ['categories list -o', 'missing value for --output', 'One of: table, json'],
    ['categories list -o xml', 'invalid value "xml" for --output', 'One of: table, json, ndjson'],
    ['categories list -o=json', 'invalid value "=json" for --output', 'Did you mean json? One'],
    ['api get /x', 'invalid value "get" for <method>', 'One of: GET, '],
    ['config get key', 'invalid value "key" for <setting>', 'One of: profile, base-url'],
    ['completion tcsh', 'invalid value "tcsh" for <shell>', 'One of: bash, zsh, fish'],
    ['categories list -p=prod', 'invalid profile name "=prod"', 'Only lower-case letters, digits'],
    ['categories list --columns id,nmae', 'unknown column "nmae"', columns],
    ['categories list --columns created_at', 'unknown column', columns],
    ['categories create x --columns Desc', 'unknown column "Desc"', columns],
    ['categories create x --dry-run --columns id', 'column "id"', 'Columns: field, value'],
    ['auth status --columns key', 'unknown column "key"', 'Columns: profile, baseUrl'],
    ['doctor --check --columns state', 'unknown column "state"', 'Columns: check, status, finding'],
    ['limits --refresh --columns left', 'column "left"', 'Columns: window, limit, remaining, used'],
    ['categories import x --columns line,outcom', 'unknown column "outcom"', 'Columns: line, name'],
    [
      'orders list --columns id,,id',
      'empty column name in --columns',
      'example: --columns id,name',
    ],
    ['orders list --columns id,x,id', 'duplicate column "id"', 'example: --columns id,name'],
    ['categories list --max-wait soon', 'invalid duration "soon" from --max-wait', '30s, 2m, 0'],
    ['categories list --timeout 0', 'invalid duration "0" from --timeout', 'Must be more than 0.'],
    ['categories create x --timeout 0ms', '"0ms" from --timeout', 'Must be more than 0.'],
    ['categories list', 'no API key for profile production', login, keyless, 4],
    [
      'limits --refresh -p staging',
      'key for profile staging',
      'login --profile staging',
      keyless,
      4,
    ],
    [
      'categories list',
      'no base URL set for profile production',
      '. To try petstore without an account, use --profile sandbox.',
      addressless,
    ],
    ['orders list --base-url http://h/v1', 'invalid base URL from --base-url', http],
    ['orders list --base-url ', 'invalid base URL from --base-url', 'Must start with https://'],
    ['orders list --profile ', 'invalid profile name "" from --profile', 'Only'],
    ['orders list --max-wait ', 'invalid duration "" from --max-wait'],
    ['orders list --api-key-file ', 'file not found'],
    ['orders list --output ', 'invalid value "" for --output', 'One of: table'],
    ['orders list --base-url http://127.evil.example/v1', 'invalid base URL', http],
    ['orders list --base-url http://127.0.0.1.evil.example/v1', 'invalid base URL', http],
    ['orders list --base-url http://localhost.evil.example/v1', 'invalid base URL', http],
    ['orders list --base-url http://10.0.0.1/v1', 'invalid base URL', http],
    [
      'orders list --base-url https://me@h/v1',
      'invalid base URL',
      'Must not contain a user name or password',
    ],
    [
      'orders list --base-url file:///etc/passwd',
      'invalid base URL',
      'Must start with https://. Example: https://HOST/v1',
    ],
    ['orders list', 'invalid base URL from PETSTORE_BASE_URL', example, { PETSTORE_BASE_URL: 'h' }],
    [
      'orders list --base-url https://me:s@h/v1',
      'invalid base URL',
      'Must not contain a user name or password',
    ],
    [
      'orders list --base-url https://h/v1?a=1',
      'invalid base URL',
      'Must not have a query or a fragment',
    ],
    [
      'orders list --base-url https://h/v1#a',
      'invalid base URL',
      'Must not have a query or a fragment',
    ],
    [
      'orders list',
      'key from PETSTORE_API_KEY: character 4 is',
      '',
      { PETSTORE_API_KEY: 'abc def' },
    ],
    ['orders list --api-key-file /nowhere', 'file not found (--api-key-file)'],
    ['orders list --api-key-file k.txt', 'file not found "k.txt" (--api-key-file)'],
    [
      'orders list -p ../x',
      'invalid profile name "../x" from --profile',
      'Only lower-case letters, digits',
    ],
    [
      'orders list -p sandbox --base-url https://h',
      'cannot be used with the sandbox',
      'Remove one',
    ],
    ['orders list -p sandbox --api-key-file k', 'cannot be used with the sandbox', 'Remove one'],
    ['pets get ', 'invalid pet id ""'],
    ['pets get ..', 'invalid pet id ".."'],
    ['sandbox --port 99999', 'invalid port: "99999"', 'Use a number from 0 to 65535.'],
    ['sandbox --data /nowhere.json', 'file not found: /nowhere.json'],
  ])(
    '%s: %s',
    async ([line, message, hint = '', env = {}, exitCode = 2], { petstore, sandbox }) => {
      const argv = line.split(' ');
      const text = await petstore(argv, { env });
      const json = await petstore([...argv, '--json'], { env });

      const lines = text.stderr.trimEnd().split('\n');
      expect(text).toMatchObject({ exitCode, stdout: '' });
      expect(lines.length).toBeLessThanOrEqual(3);
      expect(lines[0]).toMatch(/^petstore: /);
      expect(lines[0]).toContain(message);
      expect(lines[1]).toBe('Nothing was sent.');
      expect(lines[2] ?? '').toContain(hint);
      expect(json).toMatchObject({ exitCode, stdout: '' });
      expect(json.events()).toMatchObject([{ event: 'error', outcome: 'not_sent', exitCode }]);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test.for(['--api-key', '--apikey', '--token', '-key'])(
    'the value of %s is never echoed, and replacing it is advised',
    async (flag, { petstore }) => {
      const { exitCode, stdout, stderr } = await petstore([
        'orders',
        'list',
        `${flag}=SECRETSECRET`,
      ]);

      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toContain('SECRET');
      expect(stderr).toContain('in your shell history now: replace it');
    },
  );

  test.for([
    '-kSECRETSECRET1 categories',
    'auth SECRETSECRET1',
    'auth login SECRETSECRET1',
    'limits --api_key=SECRETSECRET1',
  ])('%s: what may be a key is not echoed', async (line, { petstore }) => {
    const { exitCode, stderr } = await petstore(line.split(' '));

    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('SECRET');
  });

  test('a key of the program after -- is not taken for one of petstore', async ({ petstore }) => {
    const { exitCode, stderr } = await petstore(['sandbox', '--prt', '1', '--', 'curl', '--token']);

    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'petstore: unknown option --prt\nNothing was sent.\nDid you mean --port?\n',
    );
  });

  test.for(['help nonsense', 'categories lst --help'])(
    '%s: help for what is not there is no success',
    async (line, { petstore }) => {
      const result = await petstore(line.split(' '));

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('unknown command');
    },
  );

  test('the version is shown after a verb as well', async ({ petstore }) => {
    expect((await petstore(['categories', 'list', '-V'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('words of the command line cannot steer the terminal', async ({ petstore }) => {
    const { stderr } = await petstore(['categories', 'list', '--sort', '\u001b]0;x\u0007']);

    expect(stderr).toContain('\\u{1b}]0;x\\u{7}');
    expect(stderr).not.toContain('\u001b');
  });

  test('a format from the environment that is none is refused', async ({ petstore }) => {
    const result = await petstore(['categories', 'list'], { env: { PETSTORE_OUTPUT: 'xml' } });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(
      'invalid output format "xml" from PETSTORE_OUTPUT\nNothing was sent.\nMust be one of: table',
    );
  });
});

describe('an error of a command line that is not understood', () => {
  test.for([
    ['--json', undefined, true],
    ['-o json', undefined, true],
    ['-ojson', undefined, true],
    ['-ondjson', undefined, true],
    ['-qvojson', undefined, true],
    ['-o=json', undefined, false],
    ['-qo json', undefined, true],
    ['--output ndjson', undefined, true],
    ['--output=json', undefined, true],
    ['--json -o table', undefined, false],
    ['-o table --json', undefined, true],
    ['-o table', 'json', false],
    ['-o', 'json', true],
    ['', 'json', true],
    ['', undefined, false],
    ['-o xml', undefined, false],
    ['-pojson', undefined, false],
    ['--outputs=json', undefined, false],
    ['-- --json', undefined, false],
  ] as const)('with %s, and %s in the environment, is JSON: %s', async (row, { petstore }) => {
    const [words, PETSTORE_OUTPUT, isJson] = row;
    const argv = ['categories', '--lost', ...words.split(' ').filter(Boolean)];

    const { stderr, exitCode } = await petstore(argv, { env: { PETSTORE_OUTPUT } });

    expect(exitCode).toBe(2);
    expect(stderr.startsWith('{"event":"error","kind":"usage"')).toBe(isJson);
  });

  test('is text where one word has a format in it', async ({ petstore }) => {
    const { stderr } = await petstore(['categories', '--lost', 'a -o json']);

    expect(stderr).toMatch(/^petstore: /);
  });

  const staging = '{"profiles":{"staging":{"output":"json"}}}';
  const production = '{"profiles":{"production":{"output":"json"}}}';
  test.for([
    ['', undefined, production, true],
    ['', undefined, staging, false],
    ['-p staging', undefined, staging, true],
    ['', undefined, staging.replace('{', '{"default-profile":"staging",'), true],
    ['-o csv', undefined, production, false],
    ['', 'csv', production, false],
    ['', undefined, production.replace('json', 'xml'), false],
    ['-p ../x', undefined, '{}', false],
    ['', undefined, '{ broken', false],
  ] as const)('with %s, %s and the settings %s is JSON: %s', async (row, { petstore, folder }) => {
    const [words, PETSTORE_OUTPUT, settings, isJson] = row;
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'config', 'settings.json'), settings);
    const argv = ['categories', '--lost', ...words.split(' ').filter(Boolean)];

    const { stderr, exitCode } = await petstore(argv, { env: { PETSTORE_OUTPUT } });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('unknown option --lost');
    expect(stderr.startsWith('{"event":"error","kind":"usage"')).toBe(isJson);
  });
});

test.for([
  [[], 'staging', true],
  [['--profile=staging'], undefined, true],
  [['-p', 'production'], 'staging', false],
] as const)(
  'the profile of %j and PETSTORE_PROFILE %s decides whether a usage error is JSON: %s',
  async ([words, PETSTORE_PROFILE, isJson], { petstore, folder }) => {
    mkdirSync(join(folder, 'config'));
    const settings = '{"profiles":{"staging":{"output":"json"}}}';
    writeFileSync(join(folder, 'config', 'settings.json'), settings);

    const { stderr } = await petstore(['limits', '--lost', ...words], {
      env: { PETSTORE_PROFILE },
    });

    expect(stderr).toContain('unknown option --lost');
    expect(stderr.startsWith('{"event":"error","kind":"usage"')).toBe(isJson);
  },
);

test.for([
  ['-q --columns id categories list -o csv', 'id\n1\n'],
  ['--query [].id categories list -o raw', '1\n'],
] as const)(
  'options may stand before the verb: %s',
  async ([line, stdout], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, [{ id: 1, name: 'dog' }]));

    expect(await petstore(line.split(' '))).toMatchObject({ exitCode: 0, stdout });
  },
);

test.for(['--no-header', '-o csv --no-header', '--no-header -o csv'])(
  'so may %s',
  async (line, { petstore }) => {
    const words = line.split(' ');
    const before = await petstore([...words, 'config', 'list', '-o', 'csv']);
    const after = await petstore(['config', 'list', '-o', 'csv', ...words]);

    expect(before.stdout).toMatch(/^profile,production,default\n/);
    expect(before).toMatchObject({ exitCode: 0, stdout: after.stdout });
  },
);

test.for([
  ['categories create', '--description', '-vintage'],
  ['categories create', '--description', '-q: quiet'],
  ['categories create', '--description', '-ojson'],
  ['categories create', '--description', '-pets'],
] as const)('a value arrives whole: %s %s %s', async (row, { petstore }) => {
  const [verb, option, value] = row;
  const { stdout } = await petstore([...verb.split(' '), 'frog', option, value, '--json']);

  expect(JSON.parse(stdout)).toMatchObject({ name: 'frog', description: value });
});

test('so may --no-color and --verbose', async ({ petstore }) => {
  const line = '--no-color --verbose categories list';

  const { exitCode, stderr } = await petstore(line.split(' '), { columns: 80 });

  expect(exitCode).toBe(0);
  expect(stderr).toContain('GET http://127.0.0.1:4010/v1/categories');
  expect(stderr).not.toContain('\u001b');
});

test.for(['-v', '-vintage', '-q: quiet', '-o', '-ojson', '-pets', '-h', '-V', '--json', '--'])(
  'a value is a value, whatever option it looks like: %s',
  async (value, { petstore, sandbox }) => {
    const create = ['categories', 'create', 'dog', '-q', '-o', 'csv', '--no-header'];

    const { stdout } = await petstore([...create, '--description', value]);
    await petstore([...create, `--description=${value}`]);
    await petstore(['--profile', 'production', ...create, '--description', value]);

    expect(stdout).toBe(`1,dog,${value}\n`);
    expect(sandbox.categories.map(({ description }) => description)).toEqual([value, value, value]);
  },
);

describe('what is switched off, at any place of the command line', () => {
  test.for(['--no-header config list', 'config --no-header list', 'config list --no-header'])(
    'is the header: %s',
    async (line, { petstore }) => {
      const { stdout } = await petstore([...line.split(' '), '-o', 'csv']);

      expect(stdout).toMatch(/^profile,production,default\nbase-url,/);
    },
  );

  test.for(['--no-color pets get 1', 'pets --no-color get 1', 'pets get 1 --no-color'])(
    'is colour: %s',
    async (line, { petstore }) => {
      const { stdout, stderr } = await petstore(line.split(' '), { columns: 80 });

      expect(stderr).toContain('deprecated');
      expect(stdout + stderr).not.toContain('\u001b');
    },
  );

  test.for([
    ['--no-input', 'categories', 'import'],
    ['categories', '--no-input', 'import'],
    ['categories', 'import', '--no-input'],
  ])('is the question: %j', async (words, { petstore, sandbox, folder }) => {
    const file = join(folder, 'pets.csv');
    writeFileSync(file, 'name\ndog\n');
    const stdin = Object.assign(Readable.from(['']), { isTTY: true });
    const confirm = async () => true;

    const context = { stdin, confirm };
    const { exitCode, stderr } = await petstore([...words, file], { columns: 80, context });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--no-input is set');
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('without a base URL', () => {
  test.for([
    ['in a script', undefined, 'petstore config set base-url https://HOST/v1 --profile staging'],
    ['at a terminal', 80, 'petstore auth login --profile staging'],
  ] as const)(
    'the hint names the next command, and the sandbox in a sentence: %s',
    async ([, columns, command], { petstore }) => {
      const stdin = Object.assign(Readable.from(['']), { isTTY: columns !== undefined });
      const env = { PETSTORE_BASE_URL: undefined, NO_COLOR: '1' };
      const options = columns === undefined ? { env } : { env, columns: 300, context: { stdin } };

      const { exitCode, stderr } = await petstore(['orders', 'list', '-p', 'staging'], options);

      const [, , hint = '', ...more] = stderr.trimEnd().split('\n');
      expect(exitCode).toBe(2);
      expect(more).toEqual([]);
      expect(hint).toContain(command);
      expect(hint).toContain('--profile sandbox');
      // A command with a remark in brackets behind it is neither.
      expect(hint).not.toMatch(/\(to try/);
    },
  );
});

describe('of the ways to name a format', () => {
  test.for([
    ['--json -o csv', 'csv'],
    ['-o csv --json', 'json'],
    ['-ojson -o csv', 'csv'],
    ['--json -ocsv', 'csv'],
    ['--output=csv', 'csv'],
    ['-qocsv', 'csv'],
    ['--json -ocsv --json', 'json'],
  ] as const)('the last one counts: %s is %s', async ([line, format], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, [{ id: 1, name: 'dog' }]);
    const { stdout } = await petstore(['categories', 'list', '-o', format]);
    const words = line.split(' ');
    const lines = [
      ['categories', 'list', ...words],
      [...words, 'categories', 'list'],
      ['categories', ...words, 'list'],
      [...words.slice(0, -1), 'categories', 'list', ...words.slice(-1)],
    ].filter((line) => line.indexOf('-o') < 0 || line[line.indexOf('-o') + 1] === 'csv');

    for (const line of lines) expect((await petstore(line)).stdout, line.join(' ')).toBe(stdout);
    expect(stdout).not.toBe('');
  });
});

describe('failures of the service', () => {
  const html = { 'content-type': 'text/html' };
  const gzip = { 'content-encoding': 'gzip' };
  const elsewhere = { location: 'https://other.example/' };

  test.for<readonly [number, string, string, Record<string, string>?]>([
    [200, '<html>Log in</html>', 'expected JSON, got text/html', html],
    [200, '', 'got an empty body'],
    [200, 'null', 'got null'],
    [200, '{}', 'got an object'],
    [200, '[{"id":1,"name":"do', 'unexpected end of input at character 17'],
    [200, '[{"id":1,"id":2,"name":"a"}]', 'duplicate field "id"'],
    [200, '['.repeat(50), 'nested more than 32 levels deep'],
    [200, '[{"id":1,"name":"a"},{"id":2}]', 'item 2: name is missing'],
    [200, '[{"name":"a"}]', 'item 1: id is missing'],
    [200, '[{"id":1.5,"name":"a"}]', 'item 1: id must be a 64-bit integer'],
    [200, '[{"id":9223372036854775808,"name":"a"}]', 'must be a 64-bit integer'],
    [200, '[{"id":1,"name":"a","description":7}]', 'description must be a string, not a number'],
    [200, '[]', 'got a compressed body', gzip],
    [302, '', 'the service redirects to https://other.example/ (302)', elsewhere],
  ])(
    'a list answered with %i %s: %s',
    async ([status, body, says, headers], { petstore, sandbox }) => {
      sandbox.reactions.push(reply(status, body, headers));

      const result = await petstore(['categories', 'list']);

      expect(result).toMatchObject({ exitCode: 5, stdout: '' });
      expect(result.stderr).toContain(says);
      expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  const half = Buffer.from([0xe7]);
  const otherHalf = Buffer.from([0x8a, 0xac]);
  test.for([
    ['a byte that begins nothing', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
    [
      'a character in two parts, with 64 KiB between them',
      Buffer.concat([
        Buffer.from('[{"id":1,"name":"'.padEnd(65_535, 'a')),
        half,
        Buffer.alloc(65_536, 'a'),
        otherHalf,
        Buffer.from('"}]'),
      ]),
    ],
  ] as const)('a list that is not UTF-8: %s', async ([, bytes], { petstore, sandbox }) => {
    sandbox.reactions.push(new Response(bytes));

    const { exitCode, stdout, stderr } = await petstore(['categories', 'list']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
    expect(stderr).toContain('got invalid UTF-8');
  });

  test('an unreachable host: exit 5, tried four times', async ({ petstore, sandbox, clock }) => {
    const start = clock.now();
    sandbox.react = () => networkError('EAI_AGAIN');

    const result = await petstore(['categories', 'list', '--base-url', 'https://pets.example/v1']);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
    expect(result.stderr).toBe(
      'petstore: cannot resolve host pets.example: temporary DNS failure\n',
    );
    expect(sandbox.requests).toHaveLength(4);
    expect(clock.now() - start).toBeGreaterThan(0);
    expect(clock.now() - start).toBeLessThan(10_000);
  });

  test.for([
    ['done', 130, ['categories', 'create', 'frog', '-o', 'csv'], /\n1,frog,\n$/, /^/],
    ['refused', 143, ['api', 'POST', '/categories', '--data', '{}'], /^$/, /refused the request/],
  ] as const)(
    'a write that was %s is said when the run is interrupted meanwhile, with exit %i',
    async ([, exitCode, argv, printed, said], { petstore, sandbox }) => {
      const interruption = new AbortController();
      sandbox.reactions.push(async (_request, forward) => {
        const response = await forward();
        interruption.abort(interrupted(exitCode));
        return response;
      });

      const { signal } = interruption;
      const result = await petstore(argv, { signal });

      expect(result.exitCode).toBe(exitCode);
      expect(result.stdout).toMatch(printed);
      expect(result.stderr).toMatch(said);
    },
  );

  test('a host that nobody knows is not asked for twice', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(networkError('ENOTFOUND'));

    const result = await petstore(['categories', 'list', '--base-url', 'https://pets.example/v1']);

    expect(result.exitCode).toBe(5);
    expect(result.stderr).toContain('petstore: cannot resolve host pets.example\n');
    expect(result.stderr).toContain('where it is set: petstore config list\n');
    expect(sandbox.requests).toHaveLength(1);
  });

  test('a service that never answers ends at the deadline', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const start = clock.now();
    sandbox.reactions.push('stall');

    const result = await petstore(['categories', 'list', '--timeout', '7s']);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
    expect(result.stderr).toContain('the request to 127.0.0.1:4010 timed out after 7s');
    expect(clock.now() - start).toBe(7_000);
  });

  test('--timeout is 30s by default', async ({ petstore, sandbox, clock }) => {
    const start = clock.now();
    sandbox.reactions.push('stall');

    const { exitCode, stderr } = await petstore([
      'categories',
      'create',
      'frog',
      '--max-wait',
      '0',
    ]);

    expect(exitCode).toBe(6);
    expect(stderr).toContain('timed out after 30s');
    expect(clock.now() - start).toBeGreaterThanOrEqual(30_000);
  });

  test('a 401 says where the key came from and only how it ends', async ({ petstore }) => {
    const key = 'another-key-with-end-WXYZ';

    const result = await petstore(['categories', 'list'], { env: { PETSTORE_API_KEY: key } });

    expect(result.exitCode).toBe(4);
    expect(result.stderr).toContain('the API key was rejected (401 invalid_key): invalid API key');
    expect(result.stderr).toContain('The key comes from PETSTORE_API_KEY and ends in WXYZ.');
    expect(result.stderr).not.toContain(key);
  });

  test('a service that is not available is waited for as told, visibly', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const start = clock.now();
    sandbox.reactions.push(reply(503, '', { 'retry-after': '6' }));

    const { exitCode, stderr } = await petstore(['categories', 'list']);

    expect(exitCode).toBe(0);
    expectTold(clock.now() - start, 6);
    expect(stderr).toMatch(/^petstore: the service is unavailable, next request in [6-9]s \(/m);
  });

  test('--max-wait 0 is about the limit: a broken read is still tried again', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(503, ''), networkError('ECONNREFUSED'));

    expect((await petstore(['categories', 'list', '--max-wait', '0'])).exitCode).toBe(0);
  });

  test('a line of an error has an end, whatever the service says', async ({
    petstore,
    sandbox,
  }) => {
    const message = 'x'.repeat(50_000);
    sandbox.reactions.push(reply(400, { code: 'long', message, status: 400 }));

    const { stderr } = await petstore(['orders', 'list']);

    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(600);
  });

  test('an address without a path is asked for one', async ({ petstore, sandbox }) => {
    await petstore(['categories', 'list', '--base-url', 'http://127.0.0.1:4010']);

    expect(sandbox.requests[0]?.url.href).toBe('http://127.0.0.1:4010/categories');
  });

  test('the service’s own Error stays in the error event', async ({ petstore, sandbox }) => {
    const own = { code: 'too_odd', message: 'an odd name', status: 422 };
    sandbox.reactions.push(reply(422, own));

    const { events } = await petstore(['categories', 'create', 'x', '--json']);

    expect(events().at(-1)).toMatchObject({ event: 'error', kind: 'refused', ...own });
  });

  test('a key that the service sends back is cut out, encoded too', async ({
    petstore,
    sandbox,
  }) => {
    const echo = `${testKey} ${Buffer.from(testKey).toString('base64')}`;
    sandbox.react = () => reply(200, [{ id: 1, name: echo }]);

    for (const format of formats) {
      const { stdout, stderr } = await petstore(['categories', 'list', '-o', format]);
      expect(stdout).toContain('[key] [key]');
      expect(stdout + stderr).not.toContain(testKey);
    }
  });
});

describe('a bug in petstore', () => {
  const context = {
    random: () => {
      throw new TypeError('nobody thought of this');
    },
  };

  test('is said in two lines without a stack, exit 1', async ({ petstore }) => {
    const result = await petstore(['orders', 'list'], { context });

    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain(
      'petstore: unexpected internal error: TypeError: nobody thought of this\n',
    );
    expect(result.stderr).not.toContain('    at ');
  });

  test('does not show the key that its error has in it', async ({ petstore }) => {
    const random = () => {
      throw new TypeError(`cannot use ${testKey}`);
    };

    for (const more of [[], ['-v'], ['--json']]) {
      const { exitCode, stderr } = await petstore(['orders', 'list', ...more], {
        context: { random },
      });
      expect(exitCode).toBe(1);
      expect(stderr).toContain('cannot use [key]');
      expect(stderr).not.toContain(testKey);
    }
  });

  test('shows its stack with --verbose', async ({ petstore }) => {
    const { stderr } = await petstore(['orders', 'list', '--verbose'], { context });

    expect(stderr).toContain('    at ');
  });
});

test.for([
  ['EMFILE', 'too many open files', 'ulimit -n'],
  ['ENFILE', 'too many open files', 'ulimit -n'],
  [
    'MODULE_NOT_FOUND',
    'petstore was replaced or removed while it was running',
    'Run the command again',
  ],
  ['ERR_MODULE_NOT_FOUND', 'petstore was replaced or removed while', 'Run the command again'],
] as const)('%s is no bug: exit 74 with the way out', async ([code, says, hint], { petstore }) => {
  const random = () => {
    throw networkError(code);
  };

  const { exitCode, stdout, stderr } = await petstore(['orders', 'list'], { context: { random } });

  expect({ exitCode, stdout }).toEqual({ exitCode: 74, stdout: '' });
  expect(stderr).toContain(`petstore: ${says}`);
  expect(stderr).toContain(hint);
});

describe('help and no command', () => {
  test.for(['--help', 'help', 'categories --help', 'categories create --help'])(
    '%s is printed on stdout, exit 0',
    async (line, { petstore }) => {
      const result = await petstore(line.split(' '));

      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(result.stdout).toMatch(/^(Usage: petstore|Manage the categories)/);
    },
  );

  test.for([{ argv: [] }, { argv: ['categories'] }])(
    '$argv at a terminal asks for help: exit 0, on stdout',
    async ({ argv }, { petstore }) => {
      const help = await petstore([...argv, '--help'], { columns: 80 });

      const result = await petstore(argv, { columns: 80, env: { PETSTORE_OUTPUT: 'json' } });

      expect(result).toEqual({ ...help, events: expect.anything() });
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  test.for([
    [[], undefined, 'no command given', /^See: petstore --help$/m],
    [['--quiet'], 80, 'no command given', /^See: petstore --help$/m],
    [
      ['categories'],
      undefined,
      'missing command after petstore categories',
      /^One of: list, get, /m,
    ],
  ] as const)('%j in a script lacks a command: exit 2', async (row, { petstore }) => {
    const [argv, columns, message, hint] = row;
    const options = columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } };

    const text = await petstore(argv, options);
    const json = await petstore([...argv, '--json'], options);

    expect(text).toMatchObject({ exitCode: 2, stdout: '' });
    expect(text.stderr).toContain(`petstore: ${message}\nNothing was sent.\n`);
    expect(text.stderr).toMatch(hint);
    expect(json).toMatchObject({ exitCode: 2, stdout: '' });
    expect(json.events()).toMatchObject([{ event: 'error', kind: 'usage', message }]);
  });
});
