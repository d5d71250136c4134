import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { nodes } from '../../support/nodes.ts';
import { environment } from '../import/home.ts';
import type { Bar, Setup } from './bar.ts';
import { fetchAll } from './fetch-all.ts';
import { isInstalled, type Turn, takeTurns } from './turns.ts';

const launcher = resolve('bin/petstore.js');
const firstStart = 'list --json, first start';
export const benchKey = 'bench-key-0123456789';

/** Each command, and how many starts of Node alone it may take. */
const commands: readonly (readonly [string, readonly string[], number?])[] = [
  ['--version', ['--version'], 1.1],
  ['--help', ['--help'], 1.45],
  ['list --json', ['categories', 'list', '--json'], 2.9],
  ['list', ['categories', 'list'], 3.1],
  ['create', ['categories', 'create', 'rabbit'], 3.1],
  // As the first start, which finds no compiled code.
  [firstStart, ['categories', 'list', '--json']],
];

/** How long petstore takes to start, on every Node that is given, and to list three categories. */
export function measureStart({ runs, folder, service }: Setup): Bar[] {
  const env = environment(folder, { url: service(3), key: benchKey });
  // What is created stays out of the list that is measured.
  const toCreate = { ...env, PETSTORE_BASE_URL: service(0) };
  const environments: Readonly<Record<string, NodeJS.ProcessEnv>> = {
    create: toCreate,
    [firstStart]: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' },
  };
  const onNodes = nodes.flatMap((node) => {
    const programs = Object.fromEntries([
      ['node', () => ({ argv: [node, '-e', '0'], env })],
      ...commands.map(([name, args]) => [
        name,
        () => ({
          argv: [node, launcher, ...args],
          env: environments[name] ?? env,
        }),
      ]),
    ]);
    const taken = takeTurns(runs, programs);
    const bare = taken.node?.seconds ?? Number.NaN;
    const version = versionOf(node);
    return commands.map(([name, , most]): Bar => {
      const figure = (taken[name]?.seconds ?? Number.NaN) / bare;
      const what = `${name} / node -e 0, ${version}`;
      return { what, figure, unit: 'ratio', ...(most !== undefined && { most }) };
    });
  });
  return [...onNodes, besideHttpie(), ...besideOthers()];

  /** What each takes, alone, to list the same three categories. */
  function besideOthers(): Bar[] {
    const url = `${service(3)}/categories`;
    const petstore = (...args: readonly string[]) => ({
      argv: [process.execPath, launcher, ...args],
      env,
    });
    const programs: Record<string, Turn> = {
      'node -e 0': () => ({ argv: [process.execPath, '-e', '0'], env }),
      'petstore --version': () => petstore('--version'),
      'petstore --help': () => petstore('--help'),
      'petstore categories list': () => petstore('categories', 'list'),
      'fetch script': () => fetchAll(env),
    };
    if (isInstalled('curl')) {
      programs.curl = () => ({ argv: ['curl', '--silent', '--fail', url], env });
    }
    if (isInstalled('http')) {
      const argv = ['http', '--ignore-stdin', 'GET', url];
      programs.HTTPie = () => ({ argv, env: { ...env, HOME: folder } });
    }
    const taken = takeTurns(runs, programs);
    return Object.entries(taken).map(([program, { seconds, quartiles }]) => {
      return { what: `${program}, time`, figure: seconds, unit: 's', program, quartiles };
    });
  }

  function besideHttpie(): Bar {
    const bar = { what: 'list / HTTPie’s GET of the same', unit: 'ratio', most: 0.5 } as const;
    if (!isInstalled('http')) return { ...bar, figure: undefined, note: 'HTTPie is not installed' };
    const { ours, theirs } = takeTurns(runs, {
      ours: () => ({ argv: [process.execPath, launcher, 'categories', 'list'], env }),
      theirs: () => ({
        argv: ['http', '--ignore-stdin', 'GET', `${service(3)}/categories`],
        env: { ...env, HOME: folder },
      }),
    });
    return { ...bar, figure: ours.seconds / theirs.seconds };
  }
}

function versionOf(node: string): string {
  return `Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)}`;
}
