import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { blocksOf } from '../support/pages.ts';
import { expect, test } from '../support/program.ts';

/** The package as it is published, installed alone in an empty folder. */
describe('the packed tarball', () => {
  let folder: string;
  let packed: { filename: string; size: number };
  let paths: readonly string[];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-packed-'));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [{ files, ...rest }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }));
    packed = rest;
    paths = files.map(({ path }: { path: string }) => path);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is small, and holds the program, its papers and nothing else', () => {
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));

    expect(packed.size).toBeLessThan(355_000);
    expect(paths.length).toBeLessThan(100);
    expect(paths.filter((path) => !/^dist\/[\w-]+-[\w-]{8}\.js$/.test(path)).sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/petstore.js',
      'dist/THIRD-PARTY-NOTICES.txt',
      'dist/main.js',
      ...[...pages, 'figures/import.svg'].map((name) => `docs/${name}`).sort(),
      'package.json',
    ]);
  });

  test('holds what its papers link to and show', () => {
    const papers = paths.filter((path) => /^[A-Z]+\.md$/.test(path));
    const links = papers.flatMap((paper) => linksOf(readFileSync(paper, 'utf8')));

    expect(links).toEqual(expect.arrayContaining(['SECURITY.md', 'docs/figures/import.svg']));
    // CONTRIBUTING.md is for a checkout, which has these.
    const isInternal = (link: string) => link.startsWith('docs/internals/');
    expect(links.filter((link) => !paths.includes(link) && !isInternal(link))).toEqual([]);
  });

  test('is installed without a script or a warning by the recipes for runners, which import with it alone', async ({
    folder: home,
    execute,
    serve,
  }) => {
    const ci = readFileSync('docs/ci.md', 'utf8');
    const [script = ''] = blocksOf(ci, 'sh');
    const [actions, gitlab] = blocksOf(ci, 'yaml').map((text) => parse(text));
    const steps: { run?: string }[] = actions.jobs.import.steps;
    const runs = steps.flatMap(({ run }) => run ?? []);
    cpSync(join(folder, packed.filename), join(home, packed.filename));
    writeFileSync(join(home, 'petstore-import.sh'), script);
    writeFileSync(join(home, 'pets.csv'), 'name\nheron\n');
    const { env } = await serve({ isFilled: true });
    const prefix = join(home, 'global');

    for (const [lines, counted] of [
      [runs, 'created: 1'],
      [gitlab.import.script, 'already there: 1'],
    ]) {
      const { code, stdout, stderr } = await execute('bash', ['-ec', lines.join('\n')], {
        env: {
          ...env,
          npm_config_prefix: prefix,
          npm_config_offline: 'true',
          PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
        },
      });
      expect(code, stderr).toBe(0);
      expect(stdout).toContain(counted);
      // What npm says of its own settings is none of ours.
      expect(stdout + stderr).not.toMatch(/npm warn.*(script|prepare|petstore)/i);
    }
    expect(manifest).not.toHaveProperty('dependencies');
    expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toEqual(['@petstore']);
  });

  test('carries the licences of what is bundled', () => {
    const notices = readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8');
    const program = paths.filter((path) => /^dist\/.*\.js$/.test(path));
    const text = program.map((path) => readFileSync(path, 'utf8')).join('');
    const regions = text.matchAll(/^\/\/#region node_modules\/((?:@[^/]+\/)?[^/]+)/gm);
    const names = [...new Set([...regions].map(([, name]) => name))];

    expect(names).toEqual(expect.arrayContaining(['commander', 'undici', 'fast-string-width']));
    expect(names.filter((name) => !new RegExp(`^${name} \\d`, 'm').test(notices))).toEqual([]);
    expect(notices).toMatch(/^llhttp\n\n.*\n\nCopyright Fedor Indutny, 2018\.\n\nPermission is /m);
    // The MPL wants to have said where its source is.
    expect(notices).toMatch(/^@jmespath-community\/jmespath [\d.]+\n\nSource: https:.*jmespath$/m);
  });
});

/** The files beside it that a text in Markdown links to or shows. */
function linksOf(text: string): readonly string[] {
  const links = text.matchAll(/(?:\]\(|<img src=")([^)"#\s]+)/g);
  return [...links].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));
}
