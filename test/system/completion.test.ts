import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { cleanEnvironment, pathWithPetstore, type Running, test } from '../support/program.ts';

/** A name that would run a program in the shell that evaluates it. */
const hostile = '$(touch owned)';

/** A command line before the Tab key, and after it. */
const lines: readonly (readonly [typed: string, completed: string])[] = [
  ['petstore cat', 'petstore categories '],
  ['petstore -p sandbox lim', 'petstore -p sandbox limits '],
  ['petstore limits --output=nd', 'petstore limits --output=ndjson '],
  ['petstore limits -p x', 'petstore limits -p x'],
  ['petstore categories get pe', 'petstore categories get pe'],
  ['petstore categories import pe', 'petstore categories import pets.csv '],
  ['petstore sandbox --data=pe', 'petstore sandbox --data=pets.csv '],
  [`petstore pets get "${hostile}" --verb`, `petstore pets get "${hostile}" --verbose `],
];

/** A name of a file, as the shell writes it itself. */
const file: (typeof lines)[number] = [
  'petstore categories import ro',
  'petstore categories import rows\\ \\$\\(touch\\ owned\\).csv ',
];

/** A prompt to wait for, and Ctrl-G for a look at the line: it shows it between these brackets. */
const settings = {
  bash: `PS1='⟦⟧'; bind 'set bell-style none'; bind -x '"\\C-g": printf "⟦%s⟧\\n" "$READLINE_LINE"'`,
  zsh: `PS1='⟦⟧'; look() { print -r -- "⟦$BUFFER⟧" }; zle -N look; bindkey '^G' look; bindkey '^U' kill-whole-line`,
} as const;

const loadFolder = 'fpath+=($PWD); autoload compinit; compinit -i';

describe.concurrent('the Tab key', () => {
  for (const [shell, tags, install] of [
    ['bash', ['script'], 'source <(petstore completion bash)'],
    ['zsh', ['zsh', 'script'], 'source <(petstore completion zsh)'],
    ['zsh', ['zsh', 'script'], 'setopt ksharrays; source <(petstore completion zsh)'],
    ['zsh', ['zsh', 'script'], `petstore completion zsh > _petstore; ${loadFolder}`],
  ] as const) {
    test(`completes in ${shell} (needs ${shell} and script): ${install}`, {
      tags: [...tags],
    }, async ({ folder, spawn, expect }) => {
      const env = prepare(folder);
      writeFileSync(join(folder, `.${shell}rc`), `${install}\n${settings[shell]}`);
      const all = [...lines, file];

      const options = { env, stdin: null, unread: true };
      const terminal = spawn('script', ['-qfec', `${shell} -i`, '/dev/null'], options);
      const { completed, shown } = await type(
        terminal,
        all.map(([typed]) => typed),
      );

      expect(completed).toEqual(all.map(([, completed]) => completed));
      expect(shown).not.toMatch(/petstore: |command not found|error|bad/);
      expect(existsSync(join(folder, 'owned'))).toBe(false);
    });
  }

  test('completes in fish (needs fish)', { tags: ['fish'] }, async ({
    folder,
    execute,
    expect,
  }) => {
    const env = prepare(folder);
    const asked = lines.map(([typed]) => `complete -C '${typed}'; echo ⟧`);
    const script = ['petstore completion fish | source', ...asked].join('\n');
    const { stdout, stderr } = await execute('fish', ['-c', script], { env });

    const completed = lines.map(([typed], index) => {
      const [value, ...others] = (stdout.split('⟧\n')[index] ?? '').split('\n').filter(Boolean);
      if (value === undefined || others.length > 0) return typed + others.join('|');
      return `${typed.slice(0, typed.lastIndexOf(' ') + 1)}${value.split('\t')[0]} `;
    });
    expect(completed).toEqual(lines.map(([, completed]) => completed));
    expect(stdout).toMatch(/^limits\tShow /m);
    expect(stderr).toBe('');
    expect(existsSync(join(folder, 'owned'))).toBe(false);
  });
});

/** Files to complete, profiles to choose from, and a petstore on the PATH; returns the environment for a shell. */
function prepare(folder: string): Record<string, string> {
  writeFileSync(join(folder, 'pets.csv'), '');
  writeFileSync(join(folder, `rows ${hostile}.csv`), '');
  const config = join(folder, '.config', 'petstore');
  mkdirSync(config, { recursive: true });
  const profiles = { mine: {}, [`x${hostile}`]: {} };
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ profiles }));
  return { ...cleanEnvironment(folder), TERM: 'xterm', PATH: pathWithPetstore(folder) };
}

/** Types lines on a terminal of a shell, each with Tab; returns the lines after that, and all that was shown. */
async function type({ child }: Running, lines: readonly string[]) {
  let completed: string[] = [];
  let shown = '';
  let sent = 0;
  for await (const chunk of child.stdout?.setEncoding('utf8') ?? []) {
    shown += chunk;
    completed = [...shown.matchAll(/⟦([^⟦⟧]+)⟧/g)].map(([, line = '']) => line);
    if (completed.length === lines.length) break;
    // Before the first prompt the terminal itself would take some of the keys.
    if (shown.includes('⟦⟧') && completed.length === sent) {
      child.stdin?.write(`${lines[sent]}\t\u0007\u0015`);
      sent += 1;
    }
  }
  return { completed, shown };
}
