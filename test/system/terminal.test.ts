import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, launcher, test } from '../support/program.ts';
import { finalScreen, widthMark } from '../support/screen.ts';
import { exact, plans } from '../support/values.ts';

/** A function of the shell. */
const petstore = `petstore() { '${process.execPath}' '${launcher}' "$@" $FLAGS; }\n`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const colors = /\x1b\[\d*m/;

/** Commands that print results of each kind, and whether a part of each stands out. */
const commands = [
  ['categories list', true],
  ['categories create emu', true],
  ['categories import pets.csv --yes', false],
  ['limits', true],
  ['config get base-url', false],
  ['help categories list', true],
] as const;

/** Splits what was printed by the marks between the commands, without times and ports, which differ. */
function resultsIn(stdout: string): Map<string, string> {
  const results = stdout
    .replaceAll('\r\n', '\n')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/(\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\dZ/g, 'TIME')
    .split('@@')
    .slice(1);
  return new Map(results.map((text) => [text.slice(0, text.indexOf('\n')), text]));
}

/** The cells of a table, or the words of a text. */
const cellsOf = (text = '') =>
  text
    .split(colors)
    .join('')
    .split(/[\s│─┌┬┐├┼┤└┴┘]+/)
    .filter(Boolean);

async function openShop(serve: Fixtures['serve']) {
  const { env, state } = await serve({ plan: plans.business });
  const id = exact('-9223372036854775808');
  state.categories.push({ id, name: 'dog', description: 'Barks' });
  return { ...env, TERM: 'xterm' };
}

describe('a terminal (needs script)', { tags: ['script'] }, () => {
  test('shows the values that a pipe gets, in colour', async ({ execute, serve, folder }) => {
    writeFileSync(join(folder, 'pets.csv'), 'name\nfox\ndog\n');
    const lines = commands.map(([words]) => `echo '@@${words}'; petstore ${words} 2>/dev/null\n`);
    writeFileSync(join(folder, 'commands.sh'), petstore + lines.join(''));
    const command = 'stty cols 200; sh commands.sh';

    const pipe = await execute('sh', ['commands.sh'], { env: await openShop(serve) });
    const terminal = await execute('script', ['-qec', command, '/dev/null'], {
      env: await openShop(serve),
    });

    const piped = resultsIn(pipe.stdout);
    const shown = resultsIn(terminal.stdout);
    for (const [words, hasColor] of commands) {
      expect(cellsOf(piped.get(words)).length, words).toBeGreaterThan(1);
      expect(cellsOf(shown.get(words)), words).toEqual(cellsOf(piped.get(words)));
      expect(colors.test(shown.get(words) ?? ''), words).toBe(hasColor);
    }
    expect(pipe.stdout).not.toContain('\u001b');
  });

  test.for([
    [0, 80],
    [60, 60],
  ] as const)('of %i columns has a table in %i', async ([told, width], { execute }) => {
    const command = `stty cols ${told}; petstore config list --no-color`;
    const env = { PETSTORE_BASE_URL: `https://pets.example/${'x'.repeat(100)}` };

    const { code, stdout } = await execute('script', ['-qec', petstore + command, '/dev/null'], {
      env,
    });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^│ max-wait +│ 2m +│ default +│\r$/m);
    for (const line of stdout.trimEnd().split('\r\n')) expect([...line]).toHaveLength(width);
  });

  test.concurrent.for([
    [30, 30],
    [100, 40],
  ] as const)(
    'of %i columns, later %i, counts a wait down and leaves nothing of it',
    async ([columns, later], { serve, spawn, folder, expect }) => {
      const refusal = { status: 429, headers: { 'retry-after': '3' }, body: '' };
      const { env } = await serve({ react: (_, n) => (n === 1 ? refusal : 'respond') });
      const session = `
        stty cols ${columns}
        { until [ -e shown ]; do sleep 0.05; done; stty cols ${later} < /dev/tty; cat width; } &
        petstore categories list -o csv --columns id,name,description --no-color || exit
        wait`;
      writeFileSync(join(folder, 'width'), widthMark(later));
      writeFileSync(join(folder, 'session.sh'), petstore + session);
      // Its output goes to where one can wait for it.
      const shell = ['-c', 'exec script -qefc "sh session.sh" /dev/null >&2'];
      const terminal = spawn('sh', shell, { env: { ...env, TERM: 'xterm' } });

      await terminal.says(/next (request )?in \d/i);
      writeFileSync(join(folder, 'shown'), '');
      const { code, stderr } = await terminal.ended;

      expect(code).toBe(0);
      const told = [...stderr.matchAll(/next (?:request )?in (\S+)/gi)].map(([, left]) => left);
      expect(new Set(told).size).toBeGreaterThan(2);
      const screen = (await finalScreen(stderr, columns)).join('');
      expect(screen).toMatch(/^id,name,description\s*rate limit: 59 of 60 left, .*Z\)$/);
    },
  );

  test.concurrent.for([9, 100])(
    'of %i columns shows the progress of an import, and leaves nothing of it',
    async (columns, { serve, execute, folder, expect }) => {
      const plan = { ...plans.free, minute: { limit: 11, length: 3_000 } };
      const { env } = await serve({ plan });
      const names = Array.from({ length: 12 }, (_, n) => `pet ${n}\n`);
      writeFileSync(join(folder, 'pets.csv'), `name\n${names.join('')}`);
      const command = `stty cols ${columns}; petstore categories import pets.csv --yes --no-color`;

      const argv = ['-qec', petstore + command, '/dev/null'];
      const { code, stdout } = await execute('script', argv, { env: { ...env, TERM: 'xterm' } });

      expect(code).toBe(0);
      const screen = (await finalScreen(stdout, columns)).join('\n');
      expect(screen).not.toMatch(/[█░]|10.12/);
      if (columns < 100) return;
      expect(stdout).toMatch(/█+░+ 10(\/| of )12\b/);
      expect(screen).toMatch(/12 created/);
    },
  );
});
