import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

const lowerCase = 'abcdefghijklmnopqrstuvwxyz';
const alphanumeric = `${lowerCase}${lowerCase.toUpperCase()}0123456789`;
const textOf = (characters: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: length, maxLength: length });
const base64url = (length: number) => textOf(`${alphanumeric}-_`, length);

/** Keys of all forms that services hand out, and of characters that shells, flags and messages have a use for. */
const anyKey = fc.oneof(
  ...[16, 32, 40, 64].map((length) => textOf('0123456789abcdef', length)),
  fc.uint8Array({ minLength: 16, maxLength: 48 }).map((b) => Buffer.from(b).toString('base64')),
  textOf(alphanumeric, 24).map((random) => `sk_live_${random}`),
  textOf(`${lowerCase}0123456789`, 24).map((random) => `sk_live_${random}`),
  fc.uuid(),
  fc.tuple(base64url(40), base64url(43)).map(([claims, mac]) => `eyJhbGciOi.${claims}.${mac}`),
  textOf(alphanumeric, 320),
  fc.constantFrom('sk_live_51Hq8Zx9Yt', 'sk_live_51hq8zx9yt', 'k/ey+with=%41"b', 'ab=cdefgh-ij'),
  fc.constantFrom("-Qw3rtzuiop'Asdf6hjkl", 'Qw3rtzuiop\nAsdf6hjkl', 'Qw3rtzuiop"?)Asdf6hjkl'),
);

/** Each draws another key. Fails where the output has the key or any twelve characters of it. */
async function neverRepeats(
  petstore: (key: string) => Promise<{ stdout: string; stderr: string; exitCode: number }>,
  runs = 40,
) {
  const holds = fc.asyncProperty(anyKey, async (key) => {
    const { stdout, stderr, exitCode } = await petstore(key);

    expect([2, 3, 4], stderr).toContain(exitCode);
    const parts = Array.from({ length: Math.max(1, key.length - 11) }, (_, index) =>
      key.slice(index, index + 12),
    );
    expect(parts.filter((part) => (stdout + stderr).includes(part))).toEqual([]);
  });
  await fc.assert(holds, trials(runs));
}

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
  ...['api GET ../KEY', '--KEY', 'categories list --KEY', 'categories list --columns id,KEY,KEY'],
  ...['categories import KEY', 'categories import KEY --format csv', 'categories diff KEY'],
  ...['api POST /x --data @KEY', 'sandbox --data KEY', 'sandbox -- KEY', 'doctor -p KEY'],
  ...['config set default-profile KEY', 'config set output json -p KEY', 'auth logout -p KEY'],
  ...['config get output -p KEY', 'config unset output -p KEY', 'orders list KEY'],
];

const variables = [
  'PETSTORE_PROFILE',
  'PETSTORE_OUTPUT',
  'PETSTORE_MAX_WAIT',
  'PETSTORE_BASE_URL',
  'PETSTORE_CONFIG_DIR',
  'PETSTORE_STATE_DIR',
];

describe('a key in the variable of something else', () => {
  test.for(variables)('as %s is never said again', async (variable, { petstore }) => {
    await neverRepeats((key) =>
      petstore(['categories', 'list'], { env: { PETSTORE_API_KEY: undefined, [variable]: key } }),
    );
  });
});

async function notFound([program]: readonly string[]): Promise<never> {
  throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
}

describe('a key on the command line', () => {
  test.for(commandLines)('is never said again: %s', async (line, { petstore }) => {
    const env = { PETSTORE_API_KEY: undefined };
    const argvWith = (key: string) => line.split(' ').map((word) => word.replace('KEY', () => key));
    for (const more of [[], ['--json']]) {
      await neverRepeats((key) =>
        petstore([...more, ...argvWith(key)], { env, context: { launch: notFound } }),
      );
    }
  });
});

describe('a key as a category that does not exist', () => {
  test('is never said again', async ({ petstore }) => {
    await neverRepeats((key) => petstore(['categories', 'get', key, '-q']));
  });
});
