import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { blocksOf } from '../support/pages.ts';
import { test as base, expect, pathWithPetstore, type Running } from '../support/program.ts';
import type { Action, Arrival } from '../support/service.ts';
import { plans } from '../support/values.ts';

type Options = {
  /** For how many seconds the first create is refused with a 429. */
  readonly retryAfter?: number;
  readonly env?: Readonly<Record<string, string>>;
};

const test = base.extend<{ bash: (recipe: string, options?: Options) => Running['ended'] }>({
  /** Runs a recipe as a strict script, against a sandbox of its own. */
  bash: ({ folder, execute, serve }, use) =>
    use(async (recipe, { retryAfter, env = {} } = {}) => {
      let isRefused = retryAfter !== undefined;
      const react = ({ method }: Arrival): Action => {
        if (method !== 'POST' || !isRefused) return 'respond';
        isRefused = false;
        const body = JSON.stringify({ code: 'rate_limited', message: 'slow down' });
        return { status: 429, headers: { 'retry-after': String(retryAfter) }, body };
      };
      const service = await serve({ plan: plans.business, isFilled: true, react });
      writeFileSync(join(folder, 'pets.csv'), 'name\nparrot\nDog\n');
      writeFileSync(join(folder, 'species.csv'), 'name\nheron\n');
      return execute('bash', ['--norc', '-euo', 'pipefail', '-c', recipe], {
        env: { PATH: pathWithPetstore(folder), ...service.env, ...env },
      });
    }),
});

const read = (page: string, language: string) => blocksOf(readFileSync(page, 'utf8'), language);
const [everyday = '', inTheReadme = ''] = read('README.md', 'bash');
const [simple = '', onError = ''] = read('docs/scripting.md', 'bash');
const [locked = ''] = read('docs/ci.md', 'bash');
const [crontab = ''] = read('docs/ci.md', 'text');
const [keyCommands = ''] = read('docs/setup.md', 'bash');
const [script = ''] = read('docs/ci.md', 'sh');
// The first line is the address of a service.
const forCi = inTheReadme.slice(inTheReadme.indexOf('\n'));
const scripted = `cat > petstore-import.sh <<'END'\n${script}END\n`;
const inCi = `${scripted}sh petstore-import.sh pets.csv`;

describe.concurrent('the recipes work as they are:', () => {
  test.for<[what: string, recipe: string, code: number, says: RegExp, options?: Options]>([
    [
      'for every day, with a question that nobody can be asked',
      `${everyday.replace('species.csv', '$& --yes')}\necho "id $id"; cat saved.csv doctor.json`,
      0,
      /\nid 3\n[\s\S]*\n4,heron,+\n[\s\S]*"versions"/,
    ],
    ['for CI', forCi.replace('exit', 'cat result.json; $&'), 0, /"created": 1\b/],
    [
      'for CI, when to come back',
      forCi,
      75,
      /^rate limit: run the job again later, it resumes$/m,
      { retryAfter: 3_600 },
    ],
    ['the script for CI', inCi, 7, /^some rows were refused or are left: see the messages above$/m],
    [
      'the script for CI, when to come back',
      inCi,
      75,
      /^not finished, usually because of the rate limit: the next run resumes$/m,
      { retryAfter: 3_600 },
    ],
    [
      'the script for CI runs an import with unknown outcomes once more',
      `${unknown(1)}\n${inCi}\ncat calls`,
      0,
      /^called\ncalled\n$/,
    ],
    [
      'the script for CI stops if outcomes are still unknown',
      `${unknown(9)}\n${inCi}`,
      6,
      /^the outcome of some rows is still unknown: see the messages above\n$/,
    ],
  ])('%s', async ([, recipe, code, says, options], { bash, expect }) => {
    const { stdout, stderr, ...end } = await bash(recipe, options);

    expect(end, stderr).toEqual({ code });
    expect(stdout + stderr).toMatch(says);
  });

  test('for scripts', { tags: ['jq'] }, async ({ bash }) => {
    const { code, stdout, stderr } = await bash(`${simple}\necho "left $left"`);

    expect(code, stderr).toBe(0);
    expect(stdout).toContain('id 3 is rabbit\n');
    expect(stdout).toMatch(/^left \d+$/m);
    expect(stdout).toContain('\nline 3: similar to "dog", which already exists\n');
  });

  test('for scripts, when to come back', { tags: ['jq'] }, async ({ bash }) => {
    const env = { PETSTORE_MAX_WAIT: '0' };
    const { code, stderr } = await bash(onError, { retryAfter: 1, env });

    expect(stderr).toMatch(/^rate_limited until \d{4}-\d\d-\d\dT[\d:]+Z: /);
    expect(code).toBe(0);
  });

  test('the script for CI under a lock', { tags: ['flock'] }, async ({ bash }) => {
    const { code, stdout } = await bash(
      `${scripted}${locked.replaceAll('/srv', '.').replace('pets.csv', 'species.csv')}`,
    );

    expect([code, stdout]).toEqual([0, 'created: 1\n']);
  });
});

test.for([
  ['pets.csv', /^some rows were refused or are left: see the messages above$/m],
  ['species.csv', /^$/],
] as const)('the crontab imports %s with the environment of cron', async (row, { bash }) => {
  const [file, mails] = row;
  const [path = '', line = ''] = crontab.replaceAll('/srv', '.').split('\n');
  const command = line.replace(/^(\S+ ){5}/, '').replace('pets.csv', file);

  const { code, stdout, stderr } = await bash(`${scripted}
    printf %s "$PETSTORE_API_KEY" | petstore auth login --base-url "$PETSTORE_BASE_URL" -q
    cat > cron.sh <<'END'\n${command}\nEND
    env -i HOME="$HOME" ${path.replace('/usr/local/bin', '"$PWD"/bin')} sh cron.sh`);

  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(mails);
});

test('the programs for keys on the page on setup are called as they stand there', async ({
  bash,
}) => {
  const lines = keyCommands.trimEnd().split('\n');
  const called = lines.map((line) => /'(.*)'/.exec(line)?.[1]);

  const { code, stdout, stderr } = await bash(`
    mkdir instead; PATH=$PWD/instead:$PATH
    for program in ${called.map((command) => command?.split(' ')[0]).join(' ')}; do
      printf '#!/bin/sh\\necho "\${0##*/} $*" >> "$HOME"/called\\necho %s\\n' "$PETSTORE_API_KEY" > instead/$program
      chmod +x instead/$program
    done
    petstore config set base-url "$PETSTORE_BASE_URL" -q
    unset PETSTORE_API_KEY
    ${lines.map((line) => `${line}\npetstore categories get dog -q -o raw --query name`).join('\n')}
    cat called`);

  expect(code, stderr).toBe(0);
  expect(called).toHaveLength(4);
  expect(stdout).toBe(`${'dog\n'.repeat(4)}${called.join('\n')}\n`);
});

/** In place of petstore, a program that ends with 6 as often as that, and then with 0. */
function unknown(times: number): string {
  return `mkdir instead
    printf '#!/bin/sh\\necho called >> calls\\n[ $(wc -l < calls) -gt ${times} ] || exit 6\\n' > instead/petstore
    chmod +x instead/petstore
    PATH=$PWD/instead:$PATH`;
}
