import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

/** Keys of all looks: of letters alone, with a prefix, of characters that shells and flags have a use for. */
const keys = [
  'QwertzuiopAsdfgh',
  'sk_live_51Hq8Zx9Yt',
  'k/ey+with=%41"b',
  'ab=cdefgh-ij',
  "KEY'keykeykey",
  'KEY\nkeykeykey',
  'KEYKEY (Did you mean json?)',
];

const commandLines = [
  ...['categories list --api-key=KEY', 'categories list --api-key KEY', '--apikey KEY categories'],
  ...['categories list -kKEY', '-kKEY categories', 'categories list -k -KEY', 'KEY', 'KEY\nx'],
  ...['KEY categories list', 'categories KEY', 'categories list KEY', 'auth login KEY'],
  ...['completion KEY', 'config set KEY x', 'config get KEY', 'profile use KEY'],
  ...['config set output KEY', 'config set base-url KEY', 'config set max-wait KEY', 'api KEY'],
  ...['config set plan KEY', 'categories list --api-key-file=KEY', 'categories list -pKEY'],
  ...['categories list --base-url KEY', 'categories list -p -KEY', 'auth login -p KEY'],
  ...['--output=KEY categories list', 'categories list --output KEY', 'categories list -o -KEY'],
  ...['orders list --base-url https://a.example/v1 --timeout KEY', 'categories list --limit KEY'],
  ...['orders list --base-url https://a.example/v1 --max-wait KEY', 'categories list --sort KEY'],
  ...['categories list --sort KEY\nx', 'categories list --sort -KEY', 'categories get KEY'],
  ...['categories import - --settle KEY', 'categories import - --format KEY', 'api KEY /x'],
  ...['sandbox --port KEY', 'sandbox --plan KEY', 'categories list --columns KEY', 'pets get KEY'],
  'api GET ../KEY',
];

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

describe('a key as the profile of a command', () => {
  test.for(['auth logout', 'doctor', 'doctor --json', 'config get output', 'config unset output'])(
    '%s never says it again',
    async (line, { petstore }) => {
      for (const key of ['QwertzuiopAsdfgh', 'sk_live_51hq8zx9yt']) {
        const env = { PETSTORE_API_KEY: undefined };
        const result = await petstore([...line.split(' '), '-p', key], { env });

        expect(result.exitCode, result.stderr).toBe(2);
        expect(result.stdout + result.stderr).not.toContain(key);
      }
    },
  );
});

describe('a word that is no key', () => {
  test.for([
    [['-p', 'stag'], 'unknown profile "stag"\n'],
    [['-p', 'customer-eu'], 'no API key for profile customer-eu\n'],
    [['--timeout', '5x'], 'invalid duration "5x" from --timeout\n'],
    [['--timeout', '5 minutes'], 'invalid duration from --timeout\nNothing was sent.\nFor exam'],
    [['--sort', 'size'], "argument 'size' is invalid\n"],
    [['--sort', 'created_at'], 'argument is invalid\nNothing was sent.\nAllowed choices are id,'],
  ] as const)('%j: %s', async ([words, says], { petstore }) => {
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

/** A pattern over a message, or a split of it, may end too early at these; each half is long enough to be a key. */
const torn = [
  "Qwertzuiop'Asdfghjkl",
  'Qwertzuiop\nAsdfghjkl',
  "-Qwertzuiop'Asdfghjkl",
  'Qwertzuiop"?)Asdfghjkl',
];

describe('a key on the command line', () => {
  test.for(commandLines)('is never said again: %s', async (line, { petstore }) => {
    const env = { PETSTORE_API_KEY: undefined };
    for (const key of torn) {
      const argv = line.split(' ').map((word) => word.replace('KEY', () => key));
      const { stdout, stderr } = await petstore(argv, { env });

      expect(stdout + stderr, key).not.toMatch(/wertzuiop|Asdfghjkl/);
    }
    for (const key of keys) {
      const argv = line.split(' ').map((word) => word.replace('KEY', key));
      for (const more of [[], ['--json']]) {
        const { stdout, stderr, exitCode } = await petstore([...argv, ...more], { env });

        expect([2, 4], stderr).toContain(exitCode);
        expect(stdout + stderr).not.toContain(key);
        expect(stdout + stderr).not.toContain(JSON.stringify(key).slice(1, -1));
      }
    }
  });
});
