import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { quote } from '../../src/text/shell.ts';
import { test as base, expect, launcher } from '../support/program.ts';

type Edited = {
  readonly code: number | NodeJS.Signals | null;
  /** What the terminal shows. */
  readonly screen: string;
  readonly stdout: string;
};

type Terminal = (
  editor: string,
  options?: { readonly answer?: string; readonly env?: Readonly<Record<string, string>> },
) => Promise<Edited>;

const test = base.extend<{ config: string; editWith: Terminal }>({
  config: async ({ folder }, use) => {
    const config = join(folder, 'my config');
    mkdirSync(config);
    writeFileSync(join(config, 'settings.json'), '{}\n');
    await use(config);
  },

  /** Runs `petstore config edit` on a terminal, with a program of the test as the editor. */
  editWith: ({ config, execute, folder }, use) =>
    use(async (editor, { answer = '', env = {} } = {}) => {
      const path = join(folder, 'an editor');
      writeFileSync(path, `#!/bin/sh\n${editor}\n`, { mode: 0o755 });
      const out = join(folder, 'stdout');
      const command = `${quote(process.execPath)} ${quote(launcher)} config edit > ${quote(out)}`;
      const { code, stdout } = await execute('script', ['-qec', command, '/dev/null'], {
        stdin: answer,
        env: { PETSTORE_CONFIG_DIR: config, VISUAL: `${quote(path)} --wait`, ...env },
      });
      return { code, screen: stdout, stdout: readFileSync(out, 'utf8') };
    }),
});

const write = (text: string) => `printf '%s' '${text}' > "$2"`;
const good = '{"profiles":{"production":{"output":"csv"}}}';

describe('config edit with a real editor on a terminal (needs script)', {
  tags: ['script'],
}, () => {
  test('saves what it writes; its own words go to the terminal, not to stdout', async ({
    config,
    editWith,
  }) => {
    const { code, screen, stdout } = await editWith(`echo "edits $1"; ${write(good)}`);

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(screen).toContain('edits --wait');
    expect(screen).toContain('petstore: saved ');
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).toBe(good);
    expect(readdirSync(config)).toEqual(['settings.json']);
  });

  test('Ctrl-C is for the editor alone', async ({ config, editWith }) => {
    // The shell has put the editor in its own place: its parent is petstore.
    const { code } = await editWith(`kill -INT $PPID; sleep 0.2; ${write(good)}`);

    expect(code).toBe(0);
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).toBe(good);
  });

  test('a termination is passed on to it, and no copy stays', async ({ config, editWith }) => {
    const { code } = await editWith(`${write(good)}; kill -TERM $PPID; exec sleep 60`);

    expect(code).toBe(143);
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).toBe('{}\n');
    expect(readdirSync(config)).toEqual(['settings.json']);
  });

  test('an invalid file is opened again after a yes, and then saved', async ({
    config,
    editWith,
  }) => {
    const editor = `if grep -q xml "$2"; then ${write(good)}; else ${write(good.replace('csv', 'xml'))}; fi`;

    const { code, screen } = await editWith(editor, { answer: 'y\r' });

    expect(screen).toContain('invalid output format "xml" from output of profile production');
    expect(code).toBe(0);
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).toBe(good);
  });

  test('an editor that fails saves nothing', async ({ config, editWith }) => {
    const { code, screen } = await editWith(`${write(good)}; exit 3`);

    expect(code).toBe(2);
    expect(screen).toContain('code 3');
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).toBe('{}\n');
    expect(readdirSync(config)).toEqual(['settings.json']);
  });

  test('one that is not installed is said, with the way out', async ({ config, editWith }) => {
    const { code, screen } = await editWith('', { env: { VISUAL: 'no-such-editor' } });

    expect(code).toBe(2);
    expect(screen).toContain('editor "no-such-editor" not found');
    expect(screen).toContain('export VISUAL=nano');
    expect(existsSync(join(config, 'settings.json'))).toBe(true);
  });
});
