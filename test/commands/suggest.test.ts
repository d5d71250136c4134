import { describe } from 'vitest';
import { expect, test } from '../support/petstore.ts';

const writes =
  /^petstore (categories (create|import)|auth log(in|out)|config ((un)?set|edit)|profile (use|delete)|completion (un)?install|reset$)/;
const reading = 'export get show view describe ls list find search status version'.split(' ');
const slips = 'exprt expotr gett sho veiw serach xeport'.split(' ');
const groups = ['', 'categories ', 'pets ', 'orders ', 'auth ', 'config ', 'profile '];

/** What is suggested for the words of a command line, without running it. */
const suggested = (stderr: string) => /Did you mean (.*)\?\n/.exec(stderr)?.[1];

describe('a suggestion', () => {
  test.for<[line: string, meant: string | undefined]>([
    ['ls', 'petstore categories list'],
    ['diff', 'petstore categories diff'],
    ['login', 'petstore auth login'],
    ['logout', 'petstore auth logout'],
    ['whoami', 'petstore auth status'],
    ['status', 'petstore auth status'],
    ['configure', 'petstore auth login'],
    ['version', 'petstore --version'],
    ['quota', 'petstore limits'],
    ['rate-limit', 'petstore limits'],
    ['budget', 'petstore limits'],
    ['purge', 'petstore reset --dry-run'],
    ['clean', 'petstore reset --dry-run'],
    ['wipe', 'petstore reset --dry-run'],
    ['uninstall', 'petstore reset --dry-run'],
    ['add', 'petstore categories create'],
    ['new', 'petstore categories create'],
    ['get', 'petstore categories get'],
    ['limit', 'petstore limits'],
    ['Orders', 'petstore orders'],
    ['categories gett', 'petstore categories get'],
    ['categories describe', 'petstore categories get'],
    ['orders describe', 'petstore orders list'],
    ['categories compare', 'petstore categories diff'],
    ['categories add', 'petstore categories create'],
    ['categories new', 'petstore categories create'],
    ['categories crate', 'petstore categories create'],
    ['categories improt', 'petstore categories import'],
    ['categories load', 'petstore categories import'],
    ['categories delete', undefined],
    ['categories xyz', undefined],
    ['orders get', 'petstore orders list'],
    ['pets show', 'petstore pets get'],
    ['auth whoami', 'petstore auth status'],
    ['profiles', 'petstore profile list'],
    ['switch', 'petstore profile use'],
    ['use-context', 'petstore profile use'],
    ['profile switch', 'petstore profile use'],
    ['profile use-context', 'petstore profile use'],
    ['profile select', 'petstore profile use'],
    ['profile set', 'petstore profile use'],
    ['profile current', 'petstore profile list'],
    ['profile search', 'petstore profile list'],
    ['orders search', 'petstore orders list'],
    ['categories search', 'petstore categories list --search TEXT'],
    ['profile create', 'petstore auth login --profile NAME'],
    ['profile add', 'petstore auth login --profile NAME'],
    ['profile new', 'petstore auth login --profile NAME'],
    ['config use-context', 'petstore profile use'],
    ['config reset', 'petstore reset --dry-run'],
    ['config show', 'petstore config list'],
    ['config add', 'petstore config set'],
    ['config rm', 'petstore config unset'],
    ['constructor', undefined],
  ])('for "%s" is %s', async ([line, meant], { petstore, sandbox }) => {
    const { exitCode, stdout, stderr } = await petstore(line.split(' '));

    expect({ exitCode, stdout, meant: suggested(stderr) }).toEqual({
      exitCode: 2,
      stdout: '',
      meant,
    });
    expect(stderr).toMatch(/^petstore: unknown command/);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('for a word that reads is no command that writes', async ({ petstore }) => {
    for (const line of groups.flatMap((group) =>
      [...reading, ...slips].map((word) => group + word),
    )) {
      const { stderr } = await petstore(line.split(' '));

      expect(suggested(stderr) ?? '', line).not.toMatch(writes);
    }
  });

  test('never repeats a word that may be a key', async ({ petstore }) => {
    const { stderr } = await petstore(['auth', 'SECRETSECRET1']);

    expect(stderr).toBe(
      'petstore: unknown command for petstore auth\nNothing was sent.\nSee: petstore auth --help\n',
    );
  });
});
