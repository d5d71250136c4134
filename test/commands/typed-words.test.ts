import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, testKey } from '../support/petstore.ts';
import { trials } from '../support/random.ts';

const alphanumeric = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const textOf = (length: number) =>
  fc.string({ unit: fc.constantFrom(...alphanumeric), minLength: length, maxLength: length });

/** Keys of all forms that services hand out, and of characters that shells, flags and messages have a use for. */
const anyKey = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 48 }).map((b) => Buffer.from(b).toString('base64')),
  textOf(24).map((random) => `sk_live_${random}`),
  fc.uuid(),
  fc.tuple(textOf(40), textOf(43)).map(([claims, mac]) => `eyJhbGciOi.${claims}.${mac}`),
  textOf(320),
  fc.constantFrom('sk_live_51Hq8Zx9Yt', 'k/ey+with=%41"b', 'ab=cdefgh-ij'),
  fc.constantFrom("-Qw3rtzuiop'Asdf6hjkl", 'Qw3rtzuiop"?)Asdf6hjkl'),
);

/** Each line of words ends in an error that names WORD. */
const lines = [
  ...['WORD', 'WORD categories list', 'categories WORD', 'categories list --WORD'],
  ...[
    '--WORD=x doctor',
    'categories list --sort WORD',
    'categories list -o WORD',
    'categories list --limit WORD',
  ],
  ...['categories list --columns id,WORD', 'categories get WORD', 'categories import WORD'],
  ...['categories import WORD.csv', 'categories diff ./WORD/a.csv'],
  ...['categories import - --settle WORD', 'categories import - --format WORD', 'api WORD /x'],
  ...['api GET ../WORD', 'api POST /x --data @WORD', 'config set WORD x', 'config get WORD'],
  ...['config set base-url WORD', 'config set output WORD', 'config set max-wait WORD'],
  ...['config set plan WORD', 'config set shared-store WORD', 'config set default-profile A-WORD'],
  ...['profile use WORD', 'auth logout -p WORD', 'auth login -p A-WORD', 'completion WORD'],
  ...['help WORD', 'doctor -p WORD', 'categories list -kWORD', 'categories list --base-url WORD'],
  ...['orders list --max-wait WORD', 'orders list --timeout WORD', 'sandbox --port WORD'],
  ...['sandbox --plan WORD', 'sandbox --data WORD', 'sandbox -- WORD', 'limits -p WORD'],
];

const variables = [
  'PETSTORE_PROFILE',
  'PETSTORE_OUTPUT',
  'PETSTORE_MAX_WAIT',
  'PETSTORE_BASE_URL',
  'PETSTORE_CONFIG_DIR',
  'PETSTORE_STATE_DIR',
  'PETSTORE_SHARED_STORE',
];

async function launch([program]: readonly string[]): Promise<never> {
  throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
}

/** What is read from a variable, or typed. */
const places = [...lines, ...variables.map((variable) => `${variable}=WORD categories list`)];

test.for(places)(
  'a word is named in the error of %s, and hidden if it is the key',
  async (place, { petstore, folder }) => {
    let count = 0;
    const run = (word: string, key: string, isStored: boolean) => {
      count += 1;
      const [, variable = '', line = place] = /^(\w+)=WORD (.*)/.exec(place) ?? [];
      const config = join(folder, String(count));
      const keys = join(config, 'keys');
      const stored = JSON.stringify({ origin: 'http://127.0.0.1:4010', key });
      mkdirSync(keys, { recursive: true });
      if (isStored) writeFileSync(join(keys, 'production.json'), stored, { mode: 0o600 });
      const env = { PETSTORE_CONFIG_DIR: config, PETSTORE_API_KEY: isStored ? undefined : key };
      const argv = line.split(' ').map((part) => part.replace('WORD', () => word));
      return petstore(argv, { env: { ...env, [variable]: word }, context: { launch } });
    };

    const named = await run('a1b2c3d4e5f6', testKey, false);
    expect([2, 3]).toContain(named.exitCode);
    expect(named.stderr).toContain('a1b2c3d4e5f6');

    // No key is stored where the folder of settings is another one.
    const ways = place.startsWith('PETSTORE_CONFIG') ? [false] : [false, true];
    const isHidden = fc.asyncProperty(anyKey, fc.constantFrom(...ways), async (key, isStored) => {
      const { exitCode, stdout, stderr } = await run(key, key, isStored);

      expect([2, 3, 4], 'exit code').toContain(exitCode);
      const parts = Array.from({ length: Math.max(1, key.length - 11) }, (_, start) =>
        key.slice(start, start + 12),
      );
      const shown = parts.find((part) => (stdout + stderr).includes(part));
      expect(shown, 'shown of the key').toBe(undefined);
    });
    await fc.assert(isHidden, trials(20));
  },
);
