import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { nodes } from '../../support/nodes.ts';
import { environment } from '../home.ts';
import type { Bar, Setup } from './bar.ts';
import { type Turn, takeTurns } from './turns.ts';

export const benchKey = 'bench-key-0123456789';

/** Each command, and how many starts of Node alone it may take. */
const commands: readonly (readonly [name: string, args: readonly string[], max?: number])[] = [
  ['--version', ['--version'], 1.15],
  ['--help', ['--help'], 2],
  ['list --json', ['categories', 'list', '--json'], 3.4],
  ['list', ['categories', 'list']],
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
    return commands.map(([name, , max]) => {
      const figure = (taken[name]?.seconds ?? Number.NaN) / (taken.bare?.seconds ?? Number.NaN);
      return { name: `${name} / node -e 0, ${version}`, figure, unit: 'ratio', max };
    });
  });
}
