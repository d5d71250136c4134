import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environment } from '../import/home.ts';
import type { Bar, Setup } from './bar.ts';
import { benchKey } from './start.ts';
import { isInstalled, type Program, takeTurns } from './turns.ts';

/** One way to list categories, as it is packaged. */
type Peer = {
  readonly name: string;
  /** The program for a list at that base URL; undefined where it is not installed. */
  readonly list?: ((url: string) => Pick<Program, 'argv' | 'cwd'>) | undefined;
  /** What is installed for it beside Node, Python and the C library, in bytes. */
  readonly installed?: number | undefined;
  readonly note?: string | undefined;
};

const few = 3;
const many = 100_000;
const time = '/usr/bin/time';

/** The newest that run on the oldest Node that petstore does. */
const registry = {
  client: ['openapi-fetch@0.17.0'],
  generator: ['openapi-typescript@7.13.0', 'typescript@5.9.3'],
  httpyac: ['httpyac@6.16.7'],
};

/** What Debian installs for each: the package, and the libraries that nothing else on a server needs. */
const debian = {
  'curl | jq': ['curl', 'libcurl4', 'jq', 'libjq1', 'libonig5'],
  HTTPie: [
    'httpie',
    ...['certifi', 'chardet', 'charset-normalizer', 'defusedxml', 'idna', 'markdown-it', 'mdurl'],
    ...['multidict', 'pygments', 'requests', 'requests-toolbelt', 'rich', 'socks', 'urllib3'],
  ].map((name, n) => (n === 0 ? name : `python3-${name}`)),
};

/** petstore, installed from its package, beside what else lists categories: three of them, and a hundred thousand. */
export function measurePeers({ runs, folder, service }: Setup): Bar[] {
  const peers = [
    packedPetstore(folder),
    curlAndJq(),
    httpie(),
    { name: 'fetch script', list: () => fetchScript(), installed: 0 },
    generatedClient(folder),
    httpyac(folder),
    { name: 'restish', note: 'not packaged by Debian or npm' },
  ] satisfies readonly Peer[] as readonly Peer[];

  const listing = peers.flatMap(({ name, list }) => (list ? [{ name, list }] : []));
  const env = { ...environment(folder, { url: '', key: benchKey }), HOME: folder };
  // All in one run, or the columns of the table would be of different moments.
  const taken = takeTurns(
    runs,
    Object.fromEntries(
      listing.flatMap(({ name, list }) =>
        [few, many].map((rows) => [`${name}, ${rows}`, () => listOf(list, rows)]),
      ),
    ),
  );
  return peers.flatMap(({ name: program, list, installed, note }) => {
    if (!list) return [{ what: program, figure: undefined, unit: 's', program, note } as Bar];
    const [short, long] = [taken[`${program}, ${few}`], taken[`${program}, ${many}`]];
    return [
      {
        what: `${program}, ${few} categories, time`,
        figure: short?.seconds,
        unit: 's',
        program,
        size: few,
        ...(short && { quartiles: short.quartiles }),
      },
      {
        what: `${program}, ${many.toLocaleString('en')} categories, time`,
        figure: long?.seconds,
        unit: 's',
        program,
        size: many,
        ...(long && { quartiles: long.quartiles }),
      },
      {
        what: `${program}, ${many.toLocaleString('en')} categories, most memory`,
        figure: long?.peak,
        unit: 'MB',
        program,
        size: many,
      },
      {
        what: `${program}, installed`,
        figure: installed === undefined ? undefined : installed / 1_000_000,
        unit: 'MB',
        program,
        ...(note !== undefined && { note }),
      },
    ] satisfies Bar[];
  });

  /** That list at a store of so many categories; a long one by GNU time, where that is installed, which measures its memory. */
  function listOf(list: NonNullable<Peer['list']>, rows: number): Program {
    const url = service(rows);
    const peak = join(folder, 'peak');
    const { argv, ...where } = list(url);
    const timed = [time, '--format', '%M', '--output', peak];
    return {
      argv: [...(rows === many && isInstalled(time) ? timed : []), ...argv],
      env: { ...env, PETSTORE_BASE_URL: url, PETSTORE_BENCH_PEAK: peak },
      ...where,
    };
  }
}

function packedPetstore(folder: string): Peer {
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', pack, { encoding: 'utf8' });
  const cwd = install(folder, 'petstore', [join(folder, stdout.trim())]);
  if (cwd === undefined) throw new Error('the package cannot be installed');
  const launcher = join(cwd, 'node_modules/@petstore/cli/bin/petstore.js');
  const args = ['categories', 'list', '--quiet', '--output', 'ndjson'];
  return {
    name: 'petstore',
    list: () => ({ argv: [process.execPath, launcher, ...args] }),
    installed: sizeOf(join(cwd, 'node_modules')),
  };
}

function curlAndJq(): Peer {
  const name = 'curl | jq';
  if (!(isInstalled('curl') && isInstalled('jq'))) return { name, note: 'not installed' };
  const script = `curl --silent --header "Authorization: Bearer $PETSTORE_API_KEY" "$PETSTORE_BASE_URL/categories" | jq -c '.[]'`;
  return { name, list: () => ({ argv: ['sh', '-c', script] }), installed: debianSize(name) };
}

function httpie(): Peer {
  const name = 'HTTPie';
  if (!isInstalled('http')) return { name, note: 'not installed' };
  const options = ['--ignore-stdin', '--auth-type', 'bearer', '--auth', benchKey];
  return {
    name,
    list: (url) => ({ argv: ['http', ...options, 'GET', `${url}/categories`] }),
    installed: debianSize(name),
  };
}

function fetchScript() {
  return { argv: [process.execPath, resolve('test/bench/fetch-all.mjs')] };
}

/** Types by openapi-typescript from the interface, and openapi-fetch to send. */
function generatedClient(folder: string): Peer {
  const name = 'generated client';
  const cwd = install(folder, 'client', registry.client);
  const generator = install(folder, 'generator', registry.generator);
  if (cwd === undefined || generator === undefined) return { name, note: 'no registry' };
  const cli = join(generator, 'node_modules/openapi-typescript/bin/cli.js');
  const document = resolve('test/bench/peers/service.openapi.json');
  const types = join(cwd, 'service.d.ts');
  const { status, stderr } = spawnSync(process.execPath, [cli, document, '--output', types], {
    encoding: 'utf8',
  });
  if (status !== 0) return { name, note: `not generated: ${stderr.split('\n', 1)[0]}` };
  const client = join(cwd, 'client.mjs');
  copyFileSync(resolve('test/bench/peers/client.mjs'), client);
  const size = sizeOf(join(generator, 'node_modules')) / 1_000_000;
  return {
    name,
    list: () => ({ argv: [process.execPath, client] }),
    installed: sizeOf(join(cwd, 'node_modules')),
    note: `and ${size.toFixed(0)} MB to generate it`,
  };
}

/** The command of the registry that sends what a file describes. */
function httpyac(folder: string): Peer {
  const name = 'httpyac';
  const cwd = install(folder, 'httpyac', registry.httpyac);
  if (cwd === undefined) return { name, note: 'no registry' };
  const request = join(cwd, 'list.http');
  const lines = [
    'GET {{$processEnv PETSTORE_BASE_URL}}/categories',
    `Authorization: Bearer ${benchKey}`,
    '',
  ];
  const cli = join(cwd, 'node_modules/httpyac/bin/httpyac.js');
  return {
    name,
    list(url) {
      lines[0] = `GET ${url}/categories`;
      writeFileSync(request, lines.join('\n'));
      return { argv: [process.execPath, cli, 'send', request, '--all', '--output', 'body'], cwd };
    },
    installed: sizeOf(join(cwd, 'node_modules')),
  };
}

/** A folder with these packages and no others; undefined where there is no registry. */
function install(folder: string, name: string, packages: readonly string[]): string | undefined {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  // npm wants a package there, or would look for one further up.
  writeFileSync(join(cwd, 'package.json'), '{}');
  const args = ['install', '--silent', '--no-audit', '--no-fund', ...packages];
  return spawnSync('npm', args, { cwd }).status === 0 ? cwd : undefined;
}

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** What Debian says of its packages; undefined elsewhere. */
function debianSize(name: keyof typeof debian): number | undefined {
  const args = ['show', '--no-all-versions', ...debian[name]];
  const { stdout } = spawnSync('apt-cache', args, { encoding: 'utf8' });
  const sizes = [...(stdout ?? '').matchAll(/^Installed-Size: (\d+)$/gm)].map(([, size]) =>
    Number(size),
  );
  if (sizes.length !== debian[name].length) return undefined;
  return 1_024 * sizes.reduce((sum, size) => sum + size, 0);
}
