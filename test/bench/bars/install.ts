import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Bar, Setup } from './bar.ts';
import { type Turn, takeTurns } from './turns.ts';

const { commander, zod, ora, chalk } = manifest.devDependencies;
/** What petstore would depend on if nothing were bundled; the newest that run on its oldest Node. */
const unbundled = [
  ...[`commander@${commander}`, `zod@${zod}`, `ora@${ora}`, `chalk@${chalk}`],
  ...['cli-table3@0.6', 'conf@15', 'undici@7'],
];

/** An install into an empty folder with an empty cache, beside one of the same packages unbundled. */
export function measureInstall({ runs, folder }: Setup): Bar[] {
  const bar = {
    name: 'cold install / its seven packages unbundled',
    unit: 'ratio',
  } as const;
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', pack, { encoding: 'utf8' });
  const tarball = join(folder, stdout.trim());
  const size = {
    name: 'packed',
    figure: statSync(tarball).size / 1_000,
    unit: 'kB',
    max: 400,
  } as const;
  try {
    const { ours, theirs } = takeTurns(Math.ceil(runs / 5), {
      ours: install('tarball', [tarball]),
      theirs: install('unbundled', unbundled),
    });
    return [
      size,
      { ...bar, figure: ours.seconds / theirs.seconds },
      { name: 'cold install, time', figure: ours.seconds, unit: 's' },
    ];
  } catch (error) {
    const note = `no registry: ${(error as Error).message}`;
    return [size, { ...bar, figure: undefined, note }];
  }

  function install(name: string, packages: readonly string[]): Turn {
    return (turn) => {
      const cwd = join(folder, `${name}-${turn}`);
      mkdirSync(cwd);
      // npm wants a package there, or would look for one further up.
      writeFileSync(join(cwd, 'package.json'), '{}');
      const env = { ...process.env, npm_config_cache: join(cwd, 'cache') };
      return { argv: ['npm', 'install', '--no-audit', '--no-fund', ...packages], env, cwd };
    };
  }
}
