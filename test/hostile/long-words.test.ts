import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

/** Much of what costs more than its length where it is read again from each of its characters. */
const length = 300_000;
const longWords: Readonly<Record<string, string>> = {
  'a long flag': `--${'a='.repeat(length / 2)}`,
  'slashes and a letter': `https://h.example/${'/'.repeat(length)}x`,
  blanks: `${' '.repeat(length)}x`,
  braces: '{a'.repeat(length / 2),
  quotes: '"'.repeat(length),
  'line ends': `${'\r'.repeat(length)}x`,
  'quoted words': " argument '".repeat(length / 11),
  'many columns': Array.from({ length: 50_000 }, (_, at) => `c${at}`).join(),
};

/** Command lines in which it stands for WORD. */
const places = [
  ...['WORD --json', 'categories WORD --json', 'limits WORD', 'help WORD', 'limits -o WORD'],
  ...['categories list --columns WORD', 'categories list --base-url WORD'],
  ...['categories list -p WORD', 'categories list --max-wait WORD', 'config set WORD x'],
  ...['config set plan WORD', 'config set shared-store WORD', 'config set api-key-command WORD'],
  ...['categories import WORD', 'pets get WORD', 'api WORD /x', 'api GET WORD'],
  ...['api POST /x --data WORD', 'categories create WORD --dry-run'],
  ...['completion bash -- categories WORD', 'completion bash -- WORD '],
].map((words) => words.split(' '));

const variables = [
  ...['PETSTORE_BASE_URL', 'PETSTORE_API_KEY', 'PETSTORE_PROFILE', 'PETSTORE_OUTPUT', 'LANG'],
  ...['PETSTORE_MAX_WAIT', 'PETSTORE_SHARED_STORE', 'https_proxy', 'NO_PROXY'],
];

/** What takes the square of this length takes minutes, and the time limit of a test ends it. */
describe('the time that a long word takes grows with its length alone:', () => {
  test.for(Object.keys(longWords))('%s on the command line', async (name, { petstore }) => {
    for (const words of places) {
      const argv = words.map((word) => (word === 'WORD' ? (longWords[name] ?? '') : word));
      const { exitCode } = await petstore(argv);

      expect([0, 2, 3, 4, 5], words.join(' ')).toContain(exitCode);
    }
  });

  test.for(Object.keys(longWords))('%s in the environment', async (name, { petstore }) => {
    for (const variable of variables) {
      const proxied = {
        PETSTORE_BASE_URL: 'https://h.example/v1',
        https_proxy: 'http://127.0.0.1:1',
      };
      const env = { ...(/proxy|key/i.test(variable) && proxied), [variable]: longWords[name] };

      const { exitCode } = await petstore('categories list', { env });

      expect([0, 2, 3, 4, 5]).toContain(exitCode);
    }
  });
});
