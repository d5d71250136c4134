import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, networkError, reply, test, testKey } from '../support/petstore.ts';
import { formats } from '../support/values.ts';

/** Everything that is wrong before a request could leave: three lines at most, exit 2 or 4, nothing sent. */
describe('what is wrong on this side', () => {
  test.for<{
    what: string;
    argv: string[];
    env?: Record<string, string | undefined>;
    exitCode: number;
    says: string[];
  }>([
    {
      what: 'an unknown flag',
      argv: ['categories', 'list', '--serch'],
      exitCode: 2,
      says: ['unknown option --serch', 'Did you mean --search?'],
    },
    ...(
      [
        ['categories list --jq .', 'unknown option --jq', 'Did you mean --query?'],
        ['limits --jmespath x', 'unknown option --jmespath', 'Did you mean --query?'],
        ['categories ls -L 3', 'unknown option -L', 'Did you mean --limit?'],
        ['orders list -L 3', 'unknown option -L', 'See: petstore orders list --help'],
        ['categories list --reverse', 'unknown option --reverse', 'Did you mean --sort?'],
        ['api categories --input x', 'unknown option --input', 'Did you mean --data?'],
        ['categories export x.csv --clobber', 'unknown option --clobber', 'Did you mean --force?'],
        [
          'categories list -q [].name',
          'unexpected argument "[].name"',
          '-q is --quiet; to pick values: --query',
        ],
      ] as const
    ).map(([line, ...says]) => ({
      what: `as with other tools: ${line}`,
      argv: line.split(' '),
      exitCode: 2,
      says: [...says],
    })),
    {
      what: 'a value for a flag that takes none',
      argv: ['categories', 'list', '--json=foo'],
      exitCode: 2,
      says: ['--json takes no value', 'See: petstore categories list --help'],
    },
    {
      what: 'a value for a flag of one verb that takes none',
      argv: ['categories', 'import', 'pets.csv', '--dry-run=yes'],
      exitCode: 2,
      says: ['--dry-run takes no value', 'See: petstore categories import --help'],
    },
    {
      what: 'a flag of another verb',
      argv: ['categories', 'list', '--description', 'x'],
      exitCode: 2,
      says: ['unknown option --description', 'See: petstore categories list --help'],
    },
    {
      what: 'an unknown command',
      argv: ['categorys', 'list'],
      exitCode: 2,
      says: ['unknown command "categorys"', 'Did you mean petstore categories?'],
    },
    {
      what: 'an unknown verb',
      argv: ['categories', 'lst'],
      exitCode: 2,
      says: [
        'unknown command "lst" for petstore categories',
        'Did you mean petstore categories list?',
      ],
    },
    {
      what: 'a missing argument',
      argv: ['categories', 'create'],
      exitCode: 2,
      says: [
        'missing required argument <name>',
        'Usage: petstore categories create [options] <name>',
      ],
    },
    {
      what: 'one argument too many',
      argv: ['categories', 'create', 'a', 'b'],
      exitCode: 2,
      says: [
        'unexpected argument "b"; `petstore categories create` takes one: <name>',
        'Quote a value that contains spaces. Usage: petstore categories create [options] <name>',
      ],
    },
    {
      what: 'an argument for a command without any',
      argv: ['categories', 'list', 'x'],
      exitCode: 2,
      says: [
        'unexpected argument "x"; `petstore categories list` takes none',
        'See: petstore categories list --help',
      ],
    },
    {
      what: 'a slip in a value',
      argv: ['categories', 'list', '--sort', 'nmae'],
      exitCode: 2,
      says: [
        'invalid value "nmae" for --sort; did you mean "name"?',
        'One of: id, name, description',
      ],
    },
    {
      what: 'several faults',
      argv: ['categories', 'list', 'x', '--lost'],
      exitCode: 2,
      says: ['unknown option --lost', 'See: petstore categories list --help'],
    },
    {
      what: 'a sort without its field',
      argv: ['categories', 'list', '--sort'],
      exitCode: 2,
      says: ['missing value for --sort', 'One of: id, name, description'],
    },
    {
      what: 'an unknown format',
      argv: ['categories', 'list', '-o', 'xml'],
      exitCode: 2,
      says: [
        'invalid value "xml" for --output',
        'One of: table, json, ndjson, csv, tsv, yaml, raw',
      ],
    },
    {
      what: 'an unknown format after an equals sign',
      argv: ['categories', 'list', '-o=xml'],
      exitCode: 2,
      says: ['invalid value "xml" for --output', 'One of: table,'],
    },
    {
      what: 'an unknown column',
      argv: ['categories', 'list', '--columns', 'id,nmae'],
      exitCode: 2,
      says: ['unknown column "nmae"; did you mean "name"?', 'Columns: id, name, description'],
    },
    {
      what: 'an unknown column that is long',
      argv: ['categories', 'list', '--columns', 'created_at'],
      exitCode: 2,
      says: ['unknown column (a value of 10 characters)', 'Columns: id, name, description'],
    },
    {
      what: 'the beginning of a column',
      argv: ['categories', 'create', 'dog', '--columns', 'Desc'],
      exitCode: 2,
      says: [
        'unknown column "Desc"; did you mean "description"?',
        'Columns: id, name, description',
      ],
    },
    {
      what: 'a column that is like none',
      argv: ['categories', 'create', 'dog', '--dry-run', '--columns', 'id'],
      exitCode: 2,
      says: ['unknown column "id"', 'Columns: field, value'],
    },
    {
      what: 'an unknown column of auth status',
      argv: ['auth', 'status', '--check', '--columns', 'key'],
      exitCode: 2,
      says: [
        'unknown column "key"; did you mean "keySource"?',
        'Columns: profile, baseUrl, keySource',
      ],
    },
    {
      what: 'an unknown column of doctor',
      argv: ['doctor', '--check', '--columns', 'state'],
      exitCode: 2,
      says: ['unknown column "state"; did you mean "status"?', 'Columns: check, status, finding'],
    },
    {
      what: 'an unknown column of limits',
      argv: ['limits', '--refresh', '--columns', 'left'],
      exitCode: 2,
      says: ['unknown column "left"', 'Columns: window, limit, remaining, used, resetAt, source'],
    },
    {
      what: 'an unknown column of an import',
      argv: ['categories', 'import', 'pets.csv', '--yes', '--columns', 'line,outcom'],
      exitCode: 2,
      says: ['unknown column "outcom"; did you mean "outcome"?', 'Columns: line, name, outcome'],
    },
    {
      what: 'a column asked for twice',
      argv: ['orders', 'list', '--columns', 'id, total,id'],
      exitCode: 2,
      says: ['duplicate column "id" in --columns', 'For example: --columns id,name'],
    },
    {
      what: 'a column without a name',
      argv: ['orders', 'list', '--columns', 'id,'],
      exitCode: 2,
      says: ['empty column name in --columns', 'For example: --columns id,name'],
    },
    {
      what: 'an unknown sort field',
      argv: ['categories', 'list', '--sort', 'size'],
      exitCode: 2,
      says: ['invalid value "size" for --sort', 'One of: id, name, description'],
    },
    {
      what: 'a duration that is none',
      argv: ['categories', 'list', '--max-wait', 'soon'],
      exitCode: 2,
      says: ['invalid duration "soon" for --max-wait; try 30s, 2m, 0 or inf'],
    },
    {
      what: 'a timeout of 0',
      argv: ['categories', 'list', '--timeout', '0'],
      exitCode: 2,
      says: ['invalid duration "0" for --timeout: must be more than 0', ''],
    },
    {
      what: 'a timeout of 0 with a unit',
      argv: ['categories', 'create', 'rabbit', '--timeout', '0ms'],
      exitCode: 2,
      says: ['invalid duration "0ms" for --timeout: must be more than 0', ''],
    },
    {
      what: 'no key',
      argv: ['categories', 'list'],
      env: { PETSTORE_API_KEY: undefined },
      exitCode: 4,
      says: ['no API key for profile production', 'petstore auth login (or set PETSTORE_API_KEY)'],
    },
    {
      what: 'no key for another profile',
      argv: ['categories', 'list', '-p', 'staging'],
      env: { PETSTORE_API_KEY: undefined },
      exitCode: 4,
      says: [
        'no API key for profile staging',
        'petstore auth login --profile staging (or set PETSTORE_API_KEY)',
      ],
    },
    {
      what: 'no base URL',
      argv: ['categories', 'list'],
      env: { PETSTORE_BASE_URL: undefined },
      exitCode: 2,
      says: [
        'no base URL set for profile production',
        'petstore config set base-url https://HOST/v1 (to try petstore without an account: --profile sandbox)',
      ],
    },
    {
      what: 'a base URL without TLS',
      argv: ['categories', 'list', '--base-url', 'http://pets.example/v1'],
      exitCode: 2,
      says: [
        'invalid base URL from --base-url: must start with https://, since http would send the API key unencrypted',
        'Example: https://HOST/v1',
      ],
    },
    {
      what: 'a base URL of another scheme',
      argv: ['categories', 'list', '--base-url', 'file:///etc/passwd'],
      exitCode: 2,
      says: ['must start with https://', 'Example: '],
    },
    {
      what: 'a base URL that is no URL',
      argv: ['categories', 'list'],
      env: { PETSTORE_BASE_URL: 'pets.example/v1' },
      exitCode: 2,
      says: ['invalid base URL from PETSTORE_BASE_URL: must be a URL', 'Example: '],
    },
    {
      what: 'a base URL with a password',
      argv: ['categories', 'list', '--base-url', 'https://me:secret@pets.example/v1'],
      exitCode: 2,
      says: ['must not contain a user name or password', 'Example: '],
    },
    {
      what: 'a base URL with a query',
      argv: ['categories', 'list', '--base-url', 'https://pets.example/v1?a=1'],
      exitCode: 2,
      says: ['must not have a query', 'Example: '],
    },
    {
      what: 'a base URL with a fragment',
      argv: ['categories', 'list', '--base-url', 'https://pets.example/v1#a'],
      exitCode: 2,
      says: ['must not have a fragment', 'Example: '],
    },
    {
      what: 'a key with a space in it',
      argv: ['categories', 'list'],
      env: { PETSTORE_API_KEY: 'abc def ghi jkl' },
      exitCode: 2,
      says: ['invalid API key from PETSTORE_API_KEY: character 4 is a space', ''],
    },
    {
      what: 'a key file that is not there',
      argv: ['categories', 'list', '--api-key-file', '/nowhere'],
      exitCode: 2,
      says: ['file not found (--api-key-file)', ''],
    },
    {
      what: 'a key file that is not there, by a name too short for a key',
      argv: ['categories', 'list', '--api-key-file', 'k.txt'],
      exitCode: 2,
      says: ['file not found: k.txt (--api-key-file)', ''],
    },
    {
      what: 'a profile name with a slash',
      argv: ['categories', 'list', '-p', '../x'],
      exitCode: 2,
      says: ['invalid profile name "../x" from --profile', 'Only letters, digits'],
    },
    {
      what: 'an address for the sandbox',
      argv: ['categories', 'list', '-p', 'sandbox', '--base-url', 'https://a.example/v1'],
      exitCode: 2,
      says: ['--base-url cannot be used with the sandbox profile', 'Remove one'],
    },
    {
      what: 'an empty pet id',
      argv: ['pets', 'get', ''],
      exitCode: 2,
      says: ['invalid pet id ""', ''],
    },
    {
      what: 'a pet id that is a way out',
      argv: ['pets', 'get', '..'],
      exitCode: 2,
      says: ['invalid pet id ".."', ''],
    },
    {
      what: 'a port that is none',
      argv: ['sandbox', '--port', '99999'],
      exitCode: 2,
      says: ['invalid port: "99999"', 'Use a number from 0 to 65535.'],
    },
    {
      what: 'a data file that is not there',
      argv: ['sandbox', '--data', '/nowhere.json'],
      exitCode: 2,
      says: ['file not found: /nowhere.json', ''],
    },
  ])('$what: exit $exitCode', async ({ argv, env = {}, exitCode, says }, { petstore, sandbox }) => {
    const [message = '', hint = ''] = says;

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
  });

  test.for([
    '--api-key=SECRETSECRET',
    '--apikey=SECRETSECRET',
    '--token=SECRETSECRET',
    '-key=SECRETSECRET',
  ])('the value of %s is never echoed, and replacing it is advised', async (flag, { petstore }) => {
    const { exitCode, stdout, stderr } = await petstore(['categories', 'list', flag]);

    expect(exitCode).toBe(2);
    expect(stdout + stderr).not.toContain('SECRET');
    expect(stderr).toContain('in your shell history now: replace it');
  });

  test.for([
    { argv: ['-kSECRETSECRET1', 'categories'] },
    { argv: ['auth', 'SECRETSECRET1'] },
    { argv: ['categories', 'list', '--api_key=SECRETSECRET1'] },
  ])('$argv: what may be a key is not echoed', async ({ argv }, { petstore }) => {
    const { exitCode, stderr } = await petstore(argv);

    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('SECRET');
  });

  test.for([{ argv: ['help', 'nonsense'] }, { argv: ['categories', 'lst', '--help'] }])(
    '$argv: help for what is not there is no success',
    async ({ argv }, { petstore }) => {
      const result = await petstore(argv);

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
  test.for<{ words: string[]; json: boolean; env?: string }>([
    { words: ['--json'], json: true },
    { words: ['-o', 'json'], json: true },
    { words: ['-ojson'], json: true },
    { words: ['-ondjson'], json: true },
    { words: ['-qvojson'], json: true },
    { words: ['-o=json'], json: true },
    { words: ['-qo=ndjson'], json: true },
    { words: ['-o=table'], env: 'json', json: false },
    { words: ['-qo', 'json'], json: true },
    { words: ['--output', 'ndjson'], json: true },
    { words: ['--output=json'], json: true },
    { words: ['--json', '-o', 'table'], json: false },
    { words: ['-o', 'table', '--json'], json: true },
    { words: ['-o', 'table'], env: 'json', json: false },
    { words: ['-o'], env: 'json', json: true },
    { words: [], env: 'json', json: true },
    { words: [], json: false },
    { words: ['-o', 'xml'], json: false },
    { words: ['-pojson'], json: false },
    { words: ['--outputs=json'], json: false },
    { words: ['a -o json'], json: false },
    { words: ['--', '--json'], json: false },
  ])(
    'is JSON where $words and PETSTORE_OUTPUT=$env ask for it: $json',
    async (row, { petstore }) => {
      const argv = ['categories', '--lost', ...row.words];

      const { stderr, exitCode } = await petstore(argv, {
        env: { PETSTORE_OUTPUT: row.env },
      });

      expect(exitCode).toBe(2);
      expect(stderr.startsWith('{"event":"error","kind":"usage"')).toBe(row.json);
    },
  );
});

describe('an error where only the settings name a format', () => {
  test.for<{ words: string[]; settings: string; env?: string; json: boolean }>([
    { words: [], settings: '{"profiles":{"production":{"output":"json"}}}', json: true },
    { words: [], settings: '{"profiles":{"staging":{"output":"json"}}}', json: false },
    {
      words: ['-p', 'staging'],
      settings: '{"profiles":{"staging":{"output":"ndjson"}}}',
      json: true,
    },
    { words: ['-p=staging'], settings: '{"profiles":{"staging":{"output":"json"}}}', json: true },
    {
      words: [],
      settings: '{"default-profile":"staging","profiles":{"staging":{"output":"json"}}}',
      json: true,
    },
    {
      words: ['-o', 'csv'],
      settings: '{"profiles":{"production":{"output":"json"}}}',
      json: false,
    },
    {
      words: [],
      env: 'csv',
      settings: '{"profiles":{"production":{"output":"json"}}}',
      json: false,
    },
    { words: [], settings: '{"profiles":{"production":{"output":"xml"}}}', json: false },
    { words: ['-p', '../x'], settings: '{}', json: false },
    { words: [], settings: '{ broken', json: false },
  ])(
    'is JSON where $words, $env and $settings ask for it: $json',
    async (row, { petstore, folder }) => {
      mkdirSync(join(folder, 'config'));
      writeFileSync(join(folder, 'config', 'settings.json'), row.settings);
      const env = { PETSTORE_OUTPUT: row.env };

      const { stderr, exitCode } = await petstore(['categories', '--lost', ...row.words], { env });

      expect(exitCode).toBe(2);
      expect(stderr).toContain('unknown option --lost');
      expect(stderr.startsWith('{"event":"error","kind":"usage"')).toBe(row.json);
    },
  );
});

describe('of the ways to name a format', () => {
  test.for<{ words: string[]; format: (typeof formats)[number] }>([
    { words: ['--json', '-o', 'csv'], format: 'csv' },
    { words: ['-o', 'csv', '--json'], format: 'json' },
    { words: ['-ojson', '-o', 'csv'], format: 'csv' },
    { words: ['--json', '-ocsv'], format: 'csv' },
    { words: ['-o=csv'], format: 'csv' },
    { words: ['--output=csv'], format: 'csv' },
    { words: ['-qo=csv'], format: 'csv' },
    { words: ['--json', '-o=csv', '--json'], format: 'json' },
  ])('the last one counts: $words', async ({ words, format }, { petstore, sandbox }) => {
    sandbox.react = () => reply(200, [{ id: 1, name: 'dog' }]);
    const { stdout } = await petstore(['categories', 'list', '-o', format]);
    const lines = [
      ['categories', 'list', ...words],
      [...words, 'categories', 'list'],
      ['categories', ...words, 'list'],
      [...words.slice(0, -1), 'categories', 'list', ...words.slice(-1)],
    ].filter((line) => line.indexOf('-o') < 0 || line[line.indexOf('-o') + 1] === 'csv');

    for (const line of lines) expect((await petstore(line)).stdout, line.join(' ')).toBe(stdout);
    expect(stdout).not.toBe('');
  });

  test('-p=staging names a profile', async ({ petstore }) => {
    const { stdout } = await petstore(['config', 'get', 'profile', '-p=staging']);

    expect(stdout).toBe('staging\n');
  });
});

describe('what is wrong on the other side', () => {
  const page = () => reply(200, '<html>Log in</html>', { 'content-type': 'text/html' });
  test.for([
    { what: 'HTML', reaction: page, says: 'expected JSON, got text/html' },
    { what: 'an empty body', reaction: () => reply(200, ''), says: 'got an empty body' },
    { what: 'null', reaction: () => reply(200, 'null'), says: 'got null' },
    {
      what: 'an object',
      reaction: () => reply(200, '{}'),
      says: 'got an object',
    },
    {
      what: 'half a list',
      reaction: () => reply(200, '[{"id":1,"name":"do'),
      says: 'unterminated string at character 17',
    },
    {
      what: 'a field twice',
      reaction: () => reply(200, '[{"id":1,"id":2,"name":"a"}]'),
      says: 'duplicate field "id"',
    },
    {
      what: 'nesting without end',
      reaction: () => reply(200, '['.repeat(50)),
      says: 'nested more than 32 levels deep',
    },
    {
      what: 'a missing name',
      reaction: () => reply(200, '[{"id":1,"name":"a"},{"id":2}]'),
      says: 'item 2: name is missing',
    },
    {
      what: 'a missing id',
      reaction: () => reply(200, '[{"name":"a"}]'),
      says: 'item 1: id is missing',
    },
    {
      what: 'a fraction for an id',
      reaction: () => reply(200, '[{"id":1.5,"name":"a"}]'),
      says: 'item 1: id must be a 64-bit integer',
    },
    {
      what: 'an id beyond int64',
      reaction: () => reply(200, '[{"id":9223372036854775808,"name":"a"}]'),
      says: 'must be a 64-bit integer',
    },
    {
      what: 'a description that is none',
      reaction: () => reply(200, '[{"id":1,"name":"a","description":7}]'),
      says: 'description must be a string, not a number',
    },
    {
      what: 'compressed bytes',
      reaction: () => reply(200, '[]', { 'content-encoding': 'gzip' }),
      says: 'got a compressed body',
    },
    {
      what: 'bytes that are not UTF-8',
      reaction: () => new Response(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])),
      says: 'got invalid UTF-8',
    },
    {
      what: 'a redirect',
      reaction: () => reply(302, '', { location: 'https://other.example/\u001b'.slice(0, 22) }),
      says: 'the service redirects to https://other.example/ (302)',
    },
  ])(
    '$what instead of a list: exit 5 and an empty stdout',
    async ({ reaction, says }, { petstore, sandbox }) => {
      sandbox.reactions.push(reaction());

      const result = await petstore(['categories', 'list']);

      expect(result).toMatchObject({ exitCode: 5, stdout: '' });
      expect(result.stderr).toContain(says);
      expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('an unreachable host: exit 5, tried four times', async ({ petstore, sandbox, clock }) => {
    sandbox.reactions.push(...Array.from({ length: 9 }, () => networkError('EAI_AGAIN')));

    const result = await petstore(['categories', 'list', '--base-url', 'https://pets.example/v1']);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
    expect(result.stderr).toBe(
      'petstore: cannot resolve host pets.example: temporary DNS failure\n',
    );
    expect(sandbox.requests).toHaveLength(4);
    expect(clock.slept).toEqual([250, 500, 1_000]);
  });

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
    expect(clock.now() - start).toBe(7_125);
    expect(stderr).toContain('petstore: the service is unavailable, next request in 8s (');
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

  test('shows its stack with --verbose', async ({ petstore }) => {
    const { stderr } = await petstore(['orders', 'list', '--verbose'], { context });

    expect(stderr).toContain('    at ');
  });
});

describe('help', () => {
  test.for([
    { argv: ['--help'] },
    { argv: ['help'] },
    { argv: ['categories', '--help'] },
    { argv: ['categories', 'create', '--help'] },
    { argv: ['help', 'categories', 'create'] },
  ])('$argv is printed on stdout, exit 0', async ({ argv }, { petstore }) => {
    const result = await petstore(argv);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toMatch(/^(Usage: petstore|Manage the categories)/);
  });

  test('of a verb names its arguments, its options and where the common ones are', async ({
    petstore,
  }) => {
    const { stdout } = await petstore(['help', 'categories', 'create']);

    for (const part of ['<name>', '--if-missing', 'petstore help options']) {
      expect(stdout).toContain(part);
    }
  });

  test.for([{ argv: [] }, { argv: ['categories'] }])(
    '$argv at a terminal asks for help: exit 0, on stdout',
    async ({ argv }, { petstore }) => {
      const help = await petstore([...argv, '--help'], { columns: 80 });

      const result = await petstore(argv, { columns: 80, env: { PETSTORE_OUTPUT: 'json' } });

      expect(result).toEqual({ ...help, events: expect.anything() });
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  test.for<{ argv: string[]; columns?: number; says: string[] }>([
    { argv: [], says: ['no command given', 'See: petstore --help'] },
    { argv: ['--quiet'], columns: 80, says: ['no command given', 'See: petstore --help'] },
    {
      argv: ['categories'],
      says: [
        'missing command after petstore categories',
        'One of: list, get, create, import, export, diff',
      ],
    },
  ])('$argv in a script lacks a command: exit 2', async ({ argv, columns, says }, { petstore }) => {
    const options = columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } };

    const text = await petstore(argv, options);
    const json = await petstore([...argv, '--json'], options);

    const stderr = `petstore: ${says[0]}\nNothing was sent.\n${says[1]}\n`;
    expect(text).toMatchObject({ exitCode: 2, stdout: '', stderr });
    expect(json).toMatchObject({ exitCode: 2, stdout: '' });
    expect(json.events()).toMatchObject([{ event: 'error', kind: 'usage', message: says[0] }]);
  });
});
