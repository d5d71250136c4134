import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { blocksOf } from '../support/pages.ts';
import { test as base, expect, pathWithPetstore, type Running } from '../support/program.ts';
import type { Action, Arrival } from '../support/service.ts';
import { plans } from '../support/values.ts';

type Options = {
  /** How many creates are refused with a 429 before the others are let through, and for how many seconds. */
  readonly refusals?: number;
  readonly retryAfter?: number;
  readonly env?: Readonly<Record<string, string>>;
};

const test = base.extend<{ bash: (recipe: string, options?: Options) => Running['ended'] }>({
  /** Runs a recipe as a strict script, against a sandbox of its own. */
  bash: ({ folder, execute, serve }, use) =>
    use(async (recipe, { refusals = 0, retryAfter = 1, env = {} } = {}) => {
      let left = refusals;
      const react = ({ method }: Arrival): Action => {
        if (method !== 'POST' || left === 0) return 'respond';
        left -= 1;
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

const readme = readFileSync('README.md', 'utf8');
const ci = readFileSync('docs/ci.md', 'utf8');
const [everyday = '', inTheReadme = ''] = blocksOf(readme, 'bash');
const [simple = '', onError = ''] = blocksOf(readFileSync('docs/scripting.md', 'utf8'), 'bash');
const [locked = ''] = blocksOf(ci, 'bash');
const [keyCommands = ''] = blocksOf(readFileSync('docs/setup.md', 'utf8'), 'bash');
const [script = ''] = blocksOf(ci, 'sh');
const scripted = `cat > petstore-import.sh <<'END'\n${script}END\n`;
const inCi = `${scripted}sh petstore-import.sh pets.csv`;
/** In place of petstore, a program that ends with 6 as often as that, and then with 0. */
const unknown = (times: number) =>
  `mkdir instead
   printf '#!/bin/sh\\necho called >> calls\\n[ $(wc -l < calls) -gt ${times} ] || exit 6\\n' > instead/petstore
   chmod +x instead/petstore
   PATH=$PWD/instead:$PATH`;

describe.concurrent('the recipes for scripts', { tags: ['jq'] }, () => {
  test('work as they are', async ({ bash }) => {
    const { code, stdout, stderr } = await bash(`${simple}\necho "left $left"`);

    expect(code, stderr).toBe(0);
    expect(stdout).toContain('id 3 is rabbit\n');
    expect(stdout).toMatch(/^left \d+$/m);
    expect(stdout).toContain('\nline 3: similar to "dog", which already exists\n');
  });

  test('say when to come back after a 429', async ({ bash }) => {
    const env = { PETSTORE_MAX_WAIT: '0' };
    const { code, stderr } = await bash(onError, { refusals: 9, env });

    expect(stderr).toMatch(/^rate_limited until \d{4}-\d\d-\d\dT[\d:]+Z: /);
    expect(code).toBe(0);
  });
});

describe.concurrent('the recipes of the README', () => {
  test('for every day, with a question that nobody can be asked', async ({ bash }) => {
    const { code, stdout, stderr } = await bash(
      `${everyday.replace('species.csv', '$& --yes')}\necho "id $id"; cat saved.csv doctor.json`,
    );

    expect(code, stderr).toBe(0);
    expect(stdout).toContain('\nid 3\n');
    expect(stdout).toContain('\n4,heron,\n');
    expect(stdout).toContain('"versions"');
  });

  // The first line is the address of a service.
  const lines = inTheReadme.slice(inTheReadme.indexOf('\n'));

  test('for CI end with the exit code of the import', async ({ bash }) => {
    const { code, stdout } = await bash(`${lines.replace('exit', 'cat result.json; $&')}`);

    expect(stdout).toContain('"created": 1');
    expect(code).toBe(0);
  });

  test('for CI say when to come back', async ({ bash }) => {
    const { code, stdout } = await bash(lines, { refusals: 1, retryAfter: 3_600 });

    expect(stdout).toBe('rate limit: run the job again later, it resumes\n');
    expect(code).toBe(75);
  });
});

describe.concurrent('the script for CI', () => {
  test('imports, and ends with the exit code of the import', async ({ bash }) => {
    const { code, stderr } = await bash(inCi);

    expect(stderr).toContain('some rows were refused or are left: see the messages above\n');
    expect(code).toBe(7);
  });

  test('leaves what is rate limited to the next run', async ({ bash }) => {
    const { code, stderr } = await bash(inCi, { refusals: 1, retryAfter: 3_600 });

    expect(stderr).toContain(
      'not finished, usually because of the rate limit: the next run resumes\n',
    );
    expect(code).toBe(75);
  });

  test('runs an import with unknown outcomes once more', async ({ bash }) => {
    const { code, stdout } = await bash(`${unknown(1)}\n${inCi}\ncat calls`);

    expect(stdout).toBe('called\ncalled\n');
    expect(code).toBe(0);
  });

  test('says so when outcomes are still unknown, and stops', async ({ bash }) => {
    const { code, stderr } = await bash(`${unknown(9)}\n${inCi}`);

    expect(stderr).toBe('the outcome of some rows is still unknown: see the messages above\n');
    expect(code).toBe(6);
  });

  test('runs under a lock', { tags: ['flock'] }, async ({ bash }) => {
    const { code, stdout } = await bash(`${scripted}${locked.replace('pets.csv', 'species.csv')}`);

    expect(stdout).toBe('created: 1\n');
    expect(code).toBe(0);
  });
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
