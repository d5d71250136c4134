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
      writeFileSync(join(folder, 'names.txt'), 'zebra\ndog\n');
      writeFileSync(join(folder, 'vole.txt'), 'Digs at night');
      return execute('bash', ['--norc', '-euo', 'pipefail', '-c', recipe], {
        env: { PATH: pathWithPetstore(folder), ...service.env, ...env },
      });
    }),
});

const page = readFileSync('docs/scripting.md', 'utf8');
const [script = ''] = blocksOf(page, 'sh').filter((block) => block.startsWith('#!/bin/sh'));
const inCi = `cat > petstore-import.sh <<'END'\n${script}END\nsh petstore-import.sh pets.csv`;
/** In place of petstore, a program that ends with 6 as often as that, and then with 0. */
const unknown = (times: number) =>
  `mkdir instead
   printf '#!/bin/sh\\necho called >> calls\\n[ $(wc -l < calls) -gt ${times} ] || exit 6\\n' > instead/petstore
   chmod +x instead/petstore
   PATH=$PWD/instead:$PATH`;

const recipes = blocksOf(page, 'bash');
const [picked = '', simple = '', onExit = ''] = recipes;

describe.concurrent('the recipes for scripts', { tags: ['jq'] }, () => {
  test('pick values with --query', async ({ bash }) => {
    const { code, stdout, stderr } = await bash(`${picked}\necho "id $id, left $left"`);

    expect(code, stderr).toBe(0);
    expect(stdout).toContain('found dog\n');
    expect(stdout).toMatch(/^id 4, left \d+$/m);
  });

  test('work as they are', async ({ bash }) => {
    const { code, stdout, stderr } = await bash(simple);

    expect(code, stderr).toBe(0);
    expect(stdout).toContain('id 4 is otter\n');
    expect(stdout).toContain('\nzebra\n');
    expect(stdout).toContain('\nline 3: similar to "dog", which already exists\n');
    expect(stderr).toContain('\ndeprecated until 2027-06-30T00:00:00Z\n');
  });

  test('react to a success', async ({ bash }) => {
    const { code, stdout, stderr } = await bash(onExit);

    expect(stdout).toBe('created\n');
    expect(code, stderr).toBe(0);
  });

  test('say when to come back after a 429', async ({ bash }) => {
    const env = { PETSTORE_MAX_WAIT: '0' };
    const { code, stderr } = await bash(onExit, { refusals: 9, env });

    expect(stderr).toMatch(/^rate limited until \d{4}-\d\d-\d\dT[\d:]+Z\n$/);
    expect(code).toBe(0);
  });

  test('are all of them tried here', ({ expect }) => {
    expect(recipes).toEqual([picked, simple, onExit]);
  });
});

describe.concurrent('the script for CI', () => {
  test('imports, and ends with the exit code of the import', async ({ bash }) => {
    const { code, stderr } = await bash(inCi);

    expect(stderr).toContain('some rows were refused or remain: see the messages above\n');
    expect(code).toBe(7);
  });

  test('leaves what is rate limited to the next run', async ({ bash }) => {
    const { code, stderr } = await bash(inCi, { refusals: 1, retryAfter: 3_600 });

    expect(stderr).toContain('rate limited: nothing is lost, the next run resumes\n');
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
});
