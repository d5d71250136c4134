import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bar, Setup } from './bar.ts';

export function measureSize({ folder }: Setup): Bar[] {
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const tarball = execFileSync('npm', pack, { encoding: 'utf8' }).trim();
  const figure = statSync(join(folder, tarball)).size / 1_000;
  return [{ name: 'package', figure, unit: 'kB', max: 400 }];
}
