import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { withBlock, withoutBlock } from '../../../src/commands/completion/block.ts';
import { expect, test } from '../../support/petstore.ts';
import { trials } from '../../support/trials.ts';

const begin = '# >>> petstore completion >>>\n';
const end = '# <<< petstore completion <<<\n';
const files = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/completions/petstore.fish' };
const shells = Object.entries(files).map(([shell, file]) => ({ shell, file }));

describe('petstore completion install', () => {
  test.for(shells)(
    '$shell: into $file, and uninstall takes it out',
    async (row, { petstore, folder, sandbox }) => {
      const path = join(folder, row.file);
      const env = { SHELL: `/usr/bin/${row.shell}` };
      const { stdout: script } = await petstore(['completion', row.shell]);

      const installed = await petstore(['completion', 'install'], { env });
      const text = readFileSync(path, 'utf8');
      const removed = await petstore(['completion', 'uninstall'], { env });

      expect(installed).toMatchObject({ exitCode: 0, stdout: '' });
      expect(installed.stderr).toContain(`installed completion for ${row.shell} in ${path}\n`);
      expect(installed.stderr).toMatch(
        row.shell === 'fish' ? /new fish sessions/ : /run: source '/,
      );
      expect(text.startsWith(begin)).toBe(true);
      expect(text.endsWith(`\n${script}${end}`)).toBe(true);
      expect(removed).toMatchObject({ exitCode: 0, stdout: '' });
      expect(removed.stderr).toContain(`removed completion for ${row.shell} from ${path}`);
      expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe('');
      expect(existsSync(path)).toBe(row.shell !== 'fish');
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('keeps what is there, its mode and its bytes, and leaves nothing beside it', async ({
    petstore,
    folder,
  }) => {
    const path = join(folder, '.bashrc');
    const before = Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a, 0x62]);
    writeFileSync(path, before);
    chmodSync(path, 0o640);

    await petstore(['completion', 'install', 'bash']);

    expect(readFileSync(path).subarray(0, before.length)).toEqual(before);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).filter((name) => name.startsWith('.bashrc'))).toEqual(['.bashrc']);

    await petstore(['completion', 'uninstall', 'bash']);

    expect(readFileSync(path)).toEqual(before);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('a second time changes nothing, and says so', async ({ petstore, folder }) => {
    await petstore(['completion', 'install', 'zsh']);
    const path = join(folder, '.zshrc');
    const { ino } = statSync(path);
    const text = readFileSync(path, 'utf8');

    const { exitCode, stderr } = await petstore(['completion', 'install', 'zsh']);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(`completion for zsh is already installed in ${path}\n`);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(statSync(path).ino).toBe(ino);
  });

  test('replaces an older block in its place', async ({ petstore, folder }) => {
    const path = join(folder, '.bashrc');
    writeFileSync(path, `before\n${begin}old\n${end}after\n`);

    await petstore(['completion', 'install', 'bash']);

    const text = readFileSync(path, 'utf8');
    expect(text.startsWith(`before\n${begin}`)).toBe(true);
    expect(text.endsWith(`${end}after\n`)).toBe(true);
    expect(text).not.toContain('old');
    expect(text.split(begin)).toHaveLength(2);
  });

  test('writes through a link and leaves it a link', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'dotfiles'));
    const target = join(folder, 'dotfiles', 'bashrc');
    writeFileSync(target, 'alias x=y\n');
    symlinkSync('dotfiles/bashrc', join(folder, '.bashrc'));

    const { exitCode } = await petstore(['completion', 'install', 'bash']);

    expect(exitCode).toBe(0);
    expect(lstatSync(join(folder, '.bashrc')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain(begin);
  });

  test.for<{ what: string; make: (path: string) => void; exitCode: number; says: string }>([
    {
      what: 'a folder',
      make: (path) => mkdirSync(path),
      exitCode: 2,
      says: 'is not a regular file',
    },
    {
      what: 'a link that leads nowhere',
      make: (path) => symlinkSync('nowhere', path),
      exitCode: 74,
      says: 'cannot save',
    },
    {
      what: 'an incomplete block',
      make: (path) => writeFileSync(path, `${begin}old\nmine\n`),
      exitCode: 2,
      says: 'incomplete block in ',
    },
  ])('refuses $what', async ({ make, exitCode, says }, { petstore, folder }) => {
    const path = join(folder, '.bashrc');
    make(path);
    const before = lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '';

    for (const verb of ['install', 'uninstall']) {
      const result = await petstore(['completion', verb, 'bash']);
      expect(result, verb).toMatchObject({ exitCode, stdout: '' });
      expect(result.stderr).toContain(says);
      expect(result.stderr).toContain(path);
    }
    expect(lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '').toBe(before);
  });

  test.for<{ env: Record<string, string>; platform?: string; says: string }>([
    { env: {}, says: 'cannot detect your shell: SHELL is not set' },
    { env: { SHELL: '/bin/tcsh' }, says: 'no completion for tcsh (SHELL)' },
    {
      env: {},
      platform: 'win32',
      says: 'PowerShell is not supported by completion install and uninstall',
    },
    {
      env: { SHELL: '/usr/bin/pwsh' },
      says: 'PowerShell is not supported by completion install and uninstall',
    },
  ])('says what to do where $env on $platform names no such shell', async (row, { petstore }) => {
    const { env, platform = 'linux', says } = row;

    const result = await petstore(['completion', 'install'], { env, context: { platform } });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr).toMatch(/petstore completion (install bash|powershell >> \$PROFILE)\n$/);
  });

  test.for([
    { verb: 'install', hint: 'In PowerShell: petstore completion powershell >> $PROFILE\n' },
    { verb: 'uninstall', hint: 'Remove the petstore lines from $PROFILE.\n' },
  ])('$verb says what to do in PowerShell', async ({ verb, hint }, { petstore }) => {
    const { exitCode, stderr } = await petstore(['completion', verb, 'powershell']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('PowerShell is not supported by completion install and uninstall\n');
    expect(stderr.endsWith(hint)).toBe(true);
  });

  test('uninstall asks for its own shell where SHELL names none', async ({ petstore }) => {
    const { stderr } = await petstore(['completion', 'uninstall'], { env: {} });

    expect(stderr).toMatch(/\nName bash, zsh or fish: petstore completion uninstall bash\n$/);
  });

  test.for(['install', 'uninstall'])(
    '%s lists the shells that it supports',
    async (verb, { petstore }) => {
      const { exitCode, stderr } = await petstore(['completion', verb, 'tcsh']);

      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/\nOne of: bash, zsh, fish\n$/);
    },
  );

  test.for<{ shell: string; env?: Record<string, string>; platform?: string; file: string }>([
    { shell: 'zsh', env: { ZDOTDIR: 'FOLDER/zsh' }, file: 'zsh/.zshrc' },
    { shell: 'zsh', env: { ZDOTDIR: 'zsh' }, file: '.zshrc' },
    {
      shell: 'fish',
      env: { XDG_CONFIG_HOME: 'FOLDER/c' },
      file: 'c/fish/completions/petstore.fish',
    },
    { shell: 'bash', platform: 'darwin', file: '.bash_profile' },
  ])('finds the file of $shell with $env on $platform', async (row, { petstore, folder }) => {
    const entries = Object.entries(row.env ?? {});
    const env = Object.fromEntries(entries.map(([k, v]) => [k, v.replace('FOLDER', folder)]));
    const context = { platform: row.platform ?? 'linux' };

    await petstore(['completion', 'install', row.shell], { env, context });

    expect(readFileSync(join(folder, row.file), 'utf8')).toContain(begin);
  });

  test('takes the place of a script that was put into the file for fish by hand', async ({
    petstore,
    folder,
  }) => {
    const path = join(folder, files.fish);
    mkdirSync(dirname(path), { recursive: true });
    const { stdout } = await petstore(['completion', 'fish']);
    writeFileSync(path, stdout);

    await petstore(['completion', 'install', 'fish']);

    expect(readFileSync(path, 'utf8').split('function __petstore_candidates')).toHaveLength(2);
  });

  test('says where petstore is not on the PATH, and is JSON where that is asked for', async ({
    petstore,
    folder,
  }) => {
    writeFileSync(join(folder, 'petstore'), '');

    const here = await petstore(['completion', 'install', 'bash'], { env: { PATH: folder } });
    const json = await petstore(['completion', 'install', 'bash', '--json']);

    expect(here.stderr).not.toContain('PATH');
    expect(json.events().map(({ event, message }) => `${event}: ${message}`)).toEqual([
      `notice: completion for bash is already installed in ${join(folder, '.bashrc')}`,
      'notice: petstore is not on your PATH; completion works once it is',
    ]);
  });
});

test('a block that is added and taken out again leaves any text as it was', () => {
  const line = fc.constantFrom('', 'a', '# >>> petstore', '\r', ' ', '# <<< petstore completion');
  const text = fc.tuple(fc.array(line), fc.boolean()).map(([lines, isEnded]) => {
    return lines.join('\n') + (isEnded ? '\n' : '');
  });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const added = withBlock(before, 'one\ntwo', 'file');
      expect(withoutBlock(added, 'file')).toBe(before);
      expect(withBlock(added, 'one\ntwo', 'file')).toBe(added);
      const lines = (content: string) => content.split('\n').filter(Boolean);
      expect(lines(withoutBlock(added + after, 'file'))).toEqual([
        ...lines(before),
        ...lines(after),
      ]);
    }),
    trials(1_000),
  );
});
