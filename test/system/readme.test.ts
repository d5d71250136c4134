import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { blocksOf, pages } from '../support/pages.ts';
import { test as base, expect, pathWithPetstore } from '../support/program.ts';

type Step = { readonly command: string; readonly output: string };

const test = base.extend<{ replay: (page: string) => Promise<string> }>({
  replay: async ({ folder, execute }, use) => {
    const PATH = pathWithPetstore(folder);
    await use(async (page) => {
      let text = readFileSync(page, 'utf8');
      for (const { command, output } of stepsOf(page)) {
        const { stdout } = await execute('sh', ['-c', `{ ${command}; } 2>&1`], { env: { PATH } });
        const before = output.split('\n');
        const printed = stdout.replaceAll(folder, '/home/you').split('\n');
        const lines = printed.map((line, n) =>
          withoutTimes(line) === withoutTimes(before[n] ?? '') ? before[n] : line,
        );
        text = text.replace(`$ ${command}\n${output}`, () => `$ ${command}\n${lines.join('\n')}`);
      }
      return text;
    });
  },
});

const sessions = pages
  .map((path) => ({ path, steps: stepsOf(path) }))
  .filter(({ steps }) => steps.length > 0);

/** The console blocks of a page are one session on a fresh machine, and what the program prints but for times; `npm run docs` writes it. */
describe.concurrent('the session of a page', () => {
  for (const { path, steps } of sessions) {
    test(`${path} is as it happens`, { tags: needsOf(steps) }, async ({ replay, expect }) => {
      await expect(await replay(path)).toMatchFileSnapshot(resolve(path));
      // Its reader may go on there.
      const next = 'docs/getting-started.md';
      if (path === 'README.md') await expect(await replay(next)).toMatchFileSnapshot(resolve(next));
    });
  }
});

test('the README has at most 130 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

test('the settings file that is shown is read', async ({ folder, petstore }) => {
  const [shown = ''] = blocksOf(readFileSync('docs/setup.md', 'utf8'), 'json');
  writeFileSync(join(folder, 'settings.json'), shown);

  const env = { PETSTORE_CONFIG_DIR: folder };
  const { code, stdout } = await petstore('config list -o csv', { env });

  expect([code, stdout]).toEqual([0, expect.stringContaining('\nmax-wait,10m,')]);
});

/** The commands after `$ `, of which a backslash at the end of a line continues one, and what follows each. */
function stepsOf(path: string): readonly Step[] {
  return blocksOf(readFileSync(path, 'utf8'), 'console')
    .join('')
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = ''] = /^(?:.*\\\n)*.*/.exec(step) ?? [];
      return { command, output: step.slice(command.length + 1) };
    });
}

/** The programs in it that a machine may lack. */
function needsOf(steps: readonly Step[]): string[] {
  return ['curl', 'jq'].filter((name) =>
    steps.some(({ command }) => new RegExp(`\\b${name} `).test(command)),
  );
}

function withoutTimes(text: string): string {
  return text
    .replace(/resets in .*\)/g, 'resets')
    .replace(/(created) in (\d+[hms] )*[\d.]+m?s/g, '$1')
    .replace(
      /(will be removed|the service removes it|(it )?was scheduled to be removed) on ([\d-]+)(, in [\w ]+)?/g,
      'removed on $3',
    )
    .replace(/(versions|certificates): .*/g, '$1')
    .replace(/day: \d+ used/g, 'day: N used')
    .replace(/Retry in .*? \(|--max-wait \d+s\./g, '')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME');
}
