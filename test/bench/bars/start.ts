import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { nodes } from '../../support/nodes.ts';
import { environment } from '../home.ts';
import type { Bar, Setup } from './bar.ts';
import { type Turn, takeTurns } from './turns.ts';

export const benchKey = 'bench-key-0123456789';

/** Each command, and how many starts of Node alone it may take: of Node 20, and of later ones, which keep compiled code. */
const commands: readonly (readonly [string, readonly string[], max20?: number, max22?: number])[] =
  [
    ['--version', ['--version'], 1.15, 1.15],
    ['--help', ['--help'], 1.85, 1.85],
    ['list --json', ['categories', 'list', '--json'], 3.4, 3],
    ['list', ['categories', 'list'], 3.7, 3.2],
    ['create', ['categories', 'create', 'rabbit']],
  ];

/** Measures how long a start takes beside `node -e 0`, on every Node that is given. */
export function measureStart({ runs, folder, service }: Setup): Bar[] {
  const env = environment(folder, { url: service(3), key: benchKey });
  // What is created stays out of the list that is measured.
  const envOfCreate = { ...env, PETSTORE_BASE_URL: service(0) };
  return nodes.flatMap((node) => {
    const programs: Record<string, Turn> = { bare: () => ({ argv: [node, '-e', '0'], env }) };
    for (const [name, args] of commands) {
      const argv = [node, resolve('bin/petstore.js'), ...args];
      programs[name] = () => ({ argv, env: name === 'create' ? envOfCreate : env });
    }
    const taken = takeTurns(runs, programs);
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
    return commands.map(([name, , max20, max22]) => {
      const max = version.startsWith('v20.') ? max20 : max22;
      const figure = (taken[name]?.seconds ?? Number.NaN) / (taken.bare?.seconds ?? Number.NaN);
      return { name: `${name} / node -e 0, ${version}`, figure, unit: 'ratio', max };
    });
  });
}
