import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { expect, test } from './program.ts';

type Packed = { filename: string; size: number; files: { path: string }[] };

/** The package as it is published, installed alone in an empty folder. */
describe('the packed tarball', () => {
  test('holds the program, its papers and nothing else', async ({ folder }) => {
    const { files } = pack(folder);

    const others = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/chunks/'));
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/petstore.js',
      'dist/THIRD-PARTY-NOTICES.txt',
      'dist/help.txt',
      'dist/main.js',
      'man/petstore.1',
      'package.json',
    ]);
  });

  test('needs no other package at run time', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

    expect(manifest).not.toHaveProperty('dependencies');
  });

  test('carries the licences of what is bundled', () => {
    const notices = readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8');

    for (const name of ['commander', 'zod', 'cli-table3', 'hono', 'ora', 'chalk']) {
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  test('runs where it alone is installed', async ({ folder, execute }) => {
    const { filename } = pack(folder);
    await execute('npm', ['init', '-y']);
    await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`]);

    const list = await execute('npx', [
      '--offline',
      'petstore',
      'categories',
      'list',
      '-p',
      'sandbox',
    ]);

    expect(list.stdout).toContain('│ 1  │ dog    │');
    expect(list.code).toBe(0);
  });
});

function pack(folder: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }));
  return packed;
}
