import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, type Fixtures, launcher, test } from '../support/program.ts';
import { screenOf, widthMark } from '../support/screen.ts';
import { exact, plans } from '../support/values.ts';

/** A function of the shell. */
const petstore = `petstore() { '${process.execPath}' '${launcher}' "$@"; }\n`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const colors = /\x1b\[\d*m/;

/** Commands that print results of each kind, and whether a part of each stands out. */
const commands = [
  ['categories list', true],
  ['categories create emu', true],
  ['categories import pets.csv --yes', false],
  ['limits', true],
  ['help categories list', true],
] as const;

describe('a terminal (needs script)', { tags: ['script'] }, () => {
  test('shows the values that a pipe gets, in colour', async ({ execute, serve, folder }) => {
    writeFileSync(join(folder, 'pets.csv'), 'name\nfox\ndog\n');
    const lines = commands.map(([words]) => `echo '@@${words}'; petstore ${words} 2>/dev/null\n`);
    writeFileSync(join(folder, 'commands.sh'), petstore + lines.join(''));

    const pipe = await execute('sh', ['commands.sh'], { env: await openShop(serve) });
    const terminal = await execute('script', onTerminal('stty cols 200; sh commands.sh'), {
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
    const session = `${petstore} stty cols ${told}; petstore config list --no-color`;
    const env = { PETSTORE_BASE_URL: `https://pets.example/${'x'.repeat(100)}` };

    const { code, stdout } = await execute('script', onTerminal(session), { env });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^│ max-wait +│ 2m +│ default +│\r$/m);
    for (const line of stdout.trimEnd().split('\r\n')) expect([...line]).toHaveLength(width);
  });

  test('that becomes wider counts a wait down and leaves nothing of it', async ({
    serve,
    spawn,
    folder,
  }) => {
    const refusal = { status: 429, headers: { 'retry-after': '3' }, body: '' };
    const { env } = await serve({ react: (_, n) => (n === 1 ? refusal : 'respond') });
    writeFileSync(join(folder, 'width'), widthMark(40));
    const session = `${petstore}
      stty cols 30
      { until [ -e shown ]; do sleep 0.05; done; stty cols 40 < /dev/tty; cat width; } &
      petstore categories list -o csv --columns id,name,description --no-color || exit
      wait`;
    writeFileSync(join(folder, 'session.sh'), session);
    // Its output goes to where one can wait for it.
    const shell = ['-c', 'exec script -qefc "sh session.sh" /dev/null >&2'];
    const terminal = spawn('sh', shell, { env: { ...env, TERM: 'xterm' } });

    await terminal.says(/next (request )?in \d/i);
    writeFileSync(join(folder, 'shown'), '');
    const { code, stderr } = await terminal.ended;

    expect(code).toBe(0);
    const told = [...stderr.matchAll(/next (?:request )?in (\S+)/gi)].map(([, left]) => left);
    expect(new Set(told).size).toBeGreaterThan(2);
    const screen = (await screenOf(stderr, 30)).join('');
    expect(screen).toMatch(/^id,name,description\s*rate limit: 59 of 60 left, .*Z\)$/);
  });
});

function onTerminal(session: string): string[] {
  return ['-qec', session, '/dev/null'];
}

async function openShop(serve: Fixtures['serve']) {
  const { env, state } = await serve({ plan: plans.business });
  const id = exact('-9223372036854775808');
  state.categories.push({ id, name: 'dog', description: 'Barks' });
  return { ...env, TERM: 'xterm' };
}

/** Splits what was printed by the marks between the commands, without times, which differ. */
function resultsIn(stdout: string): Map<string, string> {
  const results = stdout
    .replaceAll('\r\n', '\n')
    .replace(/(\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\dZ/g, 'TIME')
    .split('@@')
    .slice(1);
  return new Map(results.map((text) => [text.slice(0, text.indexOf('\n')), text]));
}

/** Returns the cells of a table, or the words of a text. */
function cellsOf(text = ''): string[] {
  const plain = text.split(colors).join('');
  return plain.split(/[\s│─┌┬┐├┼┤└┴┘]+/).filter(Boolean);
}
