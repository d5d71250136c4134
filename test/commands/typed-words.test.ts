import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

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
  ...[
    'categories list --WORD',
    'WORD',
    'WORD categories list',
    'categories WORD',
    '--WORD=x doctor',
  ],
  ...['categories list --sort WORD', 'categories list -o WORD', 'categories list --limit WORD'],
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

const argvOf = (line: string, word: string) =>
  line.split(' ').map((part) => part.replace('WORD', () => word));

describe('a word of letters and digits', () => {
  test.for(lines)('is named in the error of %s', async (line, { petstore }) => {
    const { exitCode, stderr } = await petstore(argvOf(line, 'a1b2c3d4e5f6'), {
      context: { launch },
    });

    expect([2, 3]).toContain(exitCode);
    expect(stderr).toContain('a1b2c3d4e5f6');
  });

  test.for(variables)('is named as the value of %s', async (variable, { petstore }) => {
    const { exitCode, stderr } = await petstore('categories list', {
      env: { [variable]: 'a1b2c3d4e5f6' },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('a1b2c3d4e5f6');
  });
});

describe('the known key', () => {
  const ways = ['in the environment', 'stored'] as const;
  const cases = ways.flatMap((way) => [
    ...[...lines, 'auth login WORD'].map((line) => ({ way, line, variable: undefined })),
    // No key is stored where the folder of settings is another one.
    ...variables
      .filter((variable) => way !== 'stored' || variable !== 'PETSTORE_CONFIG_DIR')
      .map((variable) => ({ way, line: 'categories list', variable })),
  ]);

  test.for(cases)(
    '$way is hidden in the error of $line $variable',
    async ({ way, line, variable }, { petstore, folder }) => {
      let index = 0;
      const isHidden = fc.asyncProperty(anyKey, async (key) => {
        index += 1;
        const config = join(folder, String(index));
        const env: Record<string, string | undefined> = { PETSTORE_CONFIG_DIR: config };
        env.PETSTORE_API_KEY = way === 'stored' ? undefined : key;
        if (way === 'stored') {
          mkdirSync(join(config, 'keys'), { recursive: true });
          const stored = JSON.stringify({ origin: 'http://127.0.0.1:4010', key });
          writeFileSync(join(config, 'keys', 'production.json'), stored, { mode: 0o600 });
        }
        if (variable) env[variable] = key;
        const { exitCode, stdout, stderr } = await petstore(argvOf(line, key), {
          env,
          context: { launch },
        });

        expect([2, 3, 4], stderr).toContain(exitCode);
        const parts = Array.from({ length: Math.max(1, key.length - 11) }, (_, start) =>
          key.slice(start, start + 12),
        );
        expect(parts.filter((part) => (stdout + stderr).includes(part))).toEqual([]);
      });
      await fc.assert(isHidden, trials(20));
    },
  );
});

describe('the value of an option for a secret', () => {
  test.for([
    'categories list --api-key=WORD',
    'categories list --api-key WORD',
    'categories list --token=WORD',
    '--password=WORD categories list',
    'categories list --access_token WORD',
    '--apikey WORD categories',
    'categories list -key=WORD',
    'categories list --api-key-file=WORD',
    'categories list --api-key-file WORD',
    'auth login --api-key-file WORD',
    'auth login WORD',
  ])('is not repeated: %s', async (line, { petstore }) => {
    for (const secret of ['a1b2c3d4e5f6', 'x7']) {
      const { exitCode, stdout, stderr } = await petstore(argvOf(line, secret), {
        env: { PETSTORE_API_KEY: undefined },
      });

      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});
