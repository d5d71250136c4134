import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

/** Much of what costs more than its length where it is read again from each of its characters. */
const length = 300_000;
const longWords: Readonly<Record<string, string>> = {
  letters: 'a'.repeat(length),
  'a flag of o': `-${'o'.repeat(length)}`,
  'a flag of q': `-${'q'.repeat(length)}`,
  'a flag of v': `-${'v'.repeat(length)}`,
  'a long flag': `--${'a='.repeat(length / 2)}`,
  'slashes and a letter': `https://h.example/${'/'.repeat(length)}x`,
  blanks: `${' '.repeat(length)}x`,
  digits: `${'1'.repeat(length)}x`,
  braces: '{a'.repeat(length / 2),
  'open brackets': '['.repeat(length),
  quotes: '"'.repeat(length),
  backslashes: '\\'.repeat(length),
  'line ends': `${'\r'.repeat(length)}x`,
  'quoted words': " argument '".repeat(length / 11),
  'many columns': Array.from({ length: 50_000 }, (_, at) => at.toString(36)).join(),
};

const places: Readonly<Record<string, (word: string) => readonly string[]>> = {
  'in front': (word) => [word, '--json'],
  'as a verb': (word) => ['categories', word, '--json'],
  'as an argument too many': (word) => ['limits', word],
  'behind help': (word) => ['help', word],
  'as a format': (word) => ['limits', '-o', word],
  'as columns': (word) => ['categories', 'list', '--columns', word],
  'as columns of what is not known': (word) => ['orders', 'list', '--columns', word],
  'as a base URL': (word) => ['categories', 'list', '--base-url', word],
  'as a profile': (word) => ['categories', 'list', '-p', word],
  'as a duration': (word) => ['categories', 'list', '--max-wait', word],
  'as a setting': (word) => ['config', 'set', word, 'x'],
  'as a plan': (word) => ['config', 'set', 'plan', word],
  'as a limit store': (word) => ['config', 'set', 'limit-store', word],
  'as a key command': (word) => ['config', 'set', 'api-key-command', word],
  'as a file': (word) => ['categories', 'import', word],
  'as a pet': (word) => ['pets', 'get', word],
  'as a method': (word) => ['api', word, '/x'],
  'as a path': (word) => ['api', 'GET', word],
  'as data': (word) => ['api', 'POST', '/x', '--data', word],
  'as a name': (word) => ['categories', 'create', word, '--dry-run'],
  'to be completed': (word) => ['completion', 'bash', '--', 'categories', word],
  'before what is completed': (word) => ['completion', 'bash', '--', word, ''],
};

const variables = [
  'PETSTORE_BASE_URL',
  'PETSTORE_API_KEY',
  'PETSTORE_PROFILE',
  'PETSTORE_OUTPUT',
  'PETSTORE_MAX_WAIT',
  'PETSTORE_LIMIT_STORE',
  'https_proxy',
  'NO_PROXY',
  'LANG',
];

/** What takes the square of this length takes minutes, and the time limit of a test ends it. */
describe('the time that a long word takes grows with its length alone:', () => {
  test.for(Object.keys(longWords))('%s on the command line', async (name, { petstore }) => {
    for (const place of Object.values(places)) {
      const { exitCode } = await petstore(place(longWords[name] ?? ''));

      expect([0, 2, 3, 4, 5]).toContain(exitCode);
    }
  });

  test.for(Object.keys(longWords))('%s in the environment', async (name, { petstore }) => {
    for (const variable of variables) {
      const base =
        variable.endsWith('y') || variable.endsWith('Y') ? 'https://h.example/v1' : undefined;
      const env = {
        ...(base && { PETSTORE_BASE_URL: base, https_proxy: 'http://127.0.0.1:1' }),
        [variable]: longWords[name],
      };

      const { exitCode } = await petstore(['categories', 'list'], { env });

      expect([0, 2, 3, 4, 5]).toContain(exitCode);
    }
  });
});
