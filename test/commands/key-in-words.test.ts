import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

/** Keys of all looks: of letters alone, with a prefix, of characters that shells and flags have a use for. */
const keys = ['QwertzuiopAsdfgh', 'sk_live_51Hq8Zx9Yt', 'k/ey+with=%41"b', 'ab=cdefgh-ij'];

const listAt = ['categories', 'list', '--base-url', 'https://a.example/v1'];

const commandLines: Readonly<Record<string, (key: string) => string[]>> = {
  '--api-key=KEY': (key) => ['categories', 'list', `--api-key=${key}`],
  '--api-key KEY': (key) => ['categories', 'list', '--api-key', key],
  '--api-key=KEY in front': (key) => [`--api-key=${key}`, 'categories', 'list'],
  '--apikey KEY': (key) => ['categories', 'list', '--apikey', key],
  '--apikey KEY in front': (key) => ['--apikey', key, 'categories', 'list'],
  '-k KEY': (key) => ['categories', 'list', '-k', key],
  '-kKEY': (key) => ['categories', 'list', `-k${key}`],
  '--token=KEY': (key) => ['categories', 'create', 'dog', `--token=${key}`],
  '--auth=KEY': (key) => ['limits', `--auth=${key}`],
  '--api-key-file=KEY': (key) => ['categories', 'list', `--api-key-file=${key}`],
  'KEY as a command': (key) => [key],
  'KEY as a verb': (key) => ['categories', key],
  'KEY in front': (key) => [key, 'categories', 'list'],
  'KEY behind': (key) => ['categories', 'list', key],
  'KEY behind login': (key) => ['auth', 'login', key],
  'KEY in place of login': (key) => ['auth', key],
  'KEY as a setting': (key) => ['config', 'set', key, 'x'],
  'KEY as the name of a setting': (key) => ['config', 'set', 'api-key', key],
  'KEY as a setting to get': (key) => ['config', 'get', key],
  'KEY as a setting to unset': (key) => ['config', 'unset', key],
  'KEY behind status': (key) => ['auth', 'status', key],
  'KEY as a base URL': (key) => ['config', 'set', 'base-url', key],
  '--base-url KEY': (key) => ['categories', 'list', '--base-url', key],
  'help KEY': (key) => ['help', key],
  '--profile KEY': (key) => ['categories', 'list', '--profile', key],
  '-pKEY': (key) => ['categories', 'list', `-p${key}`],
  '--profile KEY with an address': (key) => [...listAt, '--profile', key],
  '--profile KEY to log in': (key) => ['auth', 'login', '-p', key],
  '--output KEY': (key) => ['categories', 'list', '--output', key],
  '--output=KEY in front': (key) => [`--output=${key}`, 'categories', 'list'],
  '-oKEY': (key) => ['categories', 'list', `-o${key}`],
  '--timeout KEY': (key) => [...listAt, '--timeout', key],
  '--max-wait KEY': (key) => [...listAt, '--max-wait', key],
  '--sort KEY': (key) => ['categories', 'list', '--sort', key],
  '--sort KEY with another line': (key) => ['categories', 'list', '--sort', `${key}\nx`],
  'KEY as a command with another line': (key) => [`${key}\nx`],
  '--limit KEY': (key) => ['categories', 'list', '--limit', key],
  '--settle KEY': (key) => ['categories', 'import', '-', '--settle', key],
  '--format KEY': (key) => ['categories', 'import', '-', '--format', key],
  '--port KEY': (key) => ['sandbox', '--port', key],
  '--plan KEY': (key) => ['sandbox', '--plan', key],
  'KEY as a format': (key) => ['config', 'set', 'output', key],
  'KEY as a wait': (key) => ['config', 'set', 'max-wait', key],
  'KEY as a plan': (key) => ['config', 'set', 'plan', key],
  'KEY to get': (key) => ['config', 'get', key],
  'KEY to unset': (key) => ['config', 'unset', key],
  'KEY as a method': (key) => ['api', key, '/categories'],
  '-X KEY': (key) => ['api', '-X', key, '/categories'],
  'KEY as a path': (key) => ['api', key],
  'KEY as a field': (key) => ['api', 'x', '-f', key],
  'KEY as the key of two fields': (key) => ['api', 'x', '-f', `${key}=1`, '-F', `${key}=2`],
  'KEY as a shell': (key) => ['completion', key],
  '--columns KEY': (key) => ['categories', 'list', '--columns', key],
  '-p KEY to send': (key) => ['api', 'GET', '/categories', '-p', key],
  'KEY as a topic': (key) => ['help', key, 'x'],
  'KEY as a profile to use': (key) => ['profile', 'use', key],
  'KEY as a profile to delete': (key) => ['profile', 'delete', key],
  'KEY as a pet': (key) => ['pets', 'get', key],
  'KEY as a category': (key) => ['categories', 'get', key],
};

const variables = ['PETSTORE_PROFILE', 'PETSTORE_OUTPUT', 'PETSTORE_MAX_WAIT', 'PETSTORE_BASE_URL'];

describe('a key in the variable of something else', () => {
  test.for(variables)('as %s is never said again', async (variable, { petstore }) => {
    for (const key of keys) {
      const env = { PETSTORE_API_KEY: undefined, [variable]: key };
      const { stdout, stderr, exitCode } = await petstore(['categories', 'list'], { env });

      expect([2, 4], stderr).toContain(exitCode);
      expect(stdout + stderr).not.toContain(key);
    }
  });
});

describe('a key as the profile of a command that still has something to say', () => {
  test.for([
    { words: ['auth', 'logout'], exitCode: 0 },
    { words: ['doctor'], exitCode: 4 },
    { words: ['doctor', '--json'], exitCode: 4 },
    { words: ['config', 'get', 'output'], exitCode: 0 },
    { words: ['config', 'unset', 'output'], exitCode: 0 },
  ])('$words never says it again', async ({ words, exitCode }, { petstore }) => {
    for (const key of ['QwertzuiopAsdfgh', 'sk_live_51Hq8Zx9Yt']) {
      const env = { PETSTORE_API_KEY: undefined };
      const result = await petstore([...words, '-p', key], { env });

      expect(result.exitCode, result.stderr).toBe(exitCode);
      expect(result.stdout + result.stderr).not.toContain(key);
    }
  });
});

describe('a word that is no key', () => {
  test.for([
    { words: ['-p', 'stag'], says: 'no API key for profile stag' },
    { words: ['-p', 'customer-eu'], says: 'no API key for profile customer-eu' },
    { words: ['-p', 'customer-us'], says: 'no API key for this profile' },
    { words: ['--timeout', '5x'], says: 'invalid duration "5x" for --timeout' },
    {
      words: ['--timeout', '5 minutes'],
      says: 'invalid duration for --timeout; try 30s, 2m or inf',
    },
    { words: ['--sort', 'size'], says: 'invalid value "size" for --sort' },
    {
      words: ['--sort', 'created_at'],
      says: 'invalid value for --sort\nNothing was sent.\nOne of: id,',
    },
  ])('$words: $says', async ({ words, says }, { petstore }) => {
    const env = { PETSTORE_API_KEY: undefined };
    await petstore(['config', 'set', 'output', 'table', '-p', 'customer-eu'], { env });
    const withKey = words[0] === '--timeout' ? {} : { env };

    const { stderr } = await petstore(['categories', 'list', ...words], withKey);

    expect(stderr).toContain(says);
  });
});

describe('a key as a category that does not exist', () => {
  test('is never said again', async ({ petstore }) => {
    for (const key of keys) {
      const { stdout, stderr, exitCode } = await petstore(['categories', 'get', key, '-q']);

      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(stderr).toBe('petstore: category not found\npetstore categories list --search TEXT\n');
    }
  });
});

describe('a key on the command line', () => {
  test.for(Object.entries(commandLines))(
    'as %s is never said again',
    async ([, words], { petstore }) => {
      for (const key of keys) {
        for (const more of [[], ['--json']]) {
          const env = { PETSTORE_API_KEY: undefined };
          const { stdout, stderr, exitCode } = await petstore([...words(key), ...more], { env });

          expect([2, 4], stderr).toContain(exitCode);
          expect(stdout + stderr).not.toContain(key);
          expect(stdout + stderr).not.toContain(JSON.stringify(key).slice(1, -1));
        }
      }
    },
  );
});
