import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { test as base, cleanEnvironment, expect } from '../support/program.ts';
import { openShop, type Shop } from '../support/shop.ts';

type Running = {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
  /** Resolves when it has printed or said this. */
  readonly says: (text: string) => Promise<void>;
};

type Fixtures = {
  shop: Shop;
  /** Runs an installed copy of the program, which is changed while the service holds back its answer to a method. */
  overtake: (argv: readonly string[], at: 'GET' | 'POST', how?: How) => Promise<Ended>;
};

type How = {
  readonly change?: keyof typeof changes;
  /** How the service ends its wait. */
  readonly how?: 'answer' | 'cut';
  /** The part of its answer that the service gives before, and what it leads to. */
  readonly part?: number;
  readonly first?: (running: Running) => Promise<void>;
  /** What follows. */
  readonly then?: (running: Running) => Promise<void>;
};

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: how a fixture without others begins
  shop: async ({}, use) => {
    const shop = await openShop();
    await use(shop);
    shop.close();
  },

  overtake: async ({ folder, shop }, use) => {
    const children: ChildProcess[] = [];
    await use(async (argv, at, { change = 'replaced', how, part, first, then } = {}) => {
      const installed = join(folder, 'installed');
      for (const name of ['bin', 'dist', 'package.json']) {
        cpSync(name, join(installed, name), { recursive: true });
      }
      const env = {
        ...cleanEnvironment(folder),
        PETSTORE_BASE_URL: shop.url,
        PETSTORE_API_KEY: 'any-key-at-all',
      };
      const launcher = join(installed, 'bin', 'petstore.js');
      const held = shop.hold(at, part);
      const child = spawn(process.execPath, [launcher, ...argv], { env, cwd: folder });
      children.push(child);
      const running = watch(child);
      await held.asked;
      await first?.(running);
      changes[change](installed);
      held.release(how);
      await then?.(running);
      const code = await running.ended;
      expectOwnWords(running, installed);
      return { code, ...running.said };
    });
    for (const child of children) child.kill('SIGKILL');
  },
});

function watch(child: ChildProcess): Running {
  const said = { stdout: '', stderr: '' };
  let look = () => {};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      said[name] += text;
      look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const says = (text: string) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (!`${said.stdout}${said.stderr}`.includes(text)) return;
        look = () => {};
        resolve();
      };
      look();
    });
  return { child, said, ended, says };
}

/** What becomes of the installed program while it runs. */
const changes = {
  /** Nothing is left of what it may load. */
  removed: (installed: string) => rmSync(join(installed, 'dist'), { recursive: true }),
  /** Its parts are those of another version, which would say so if one were loaded. */
  replaced(installed: string) {
    const chunks = join(installed, 'dist', 'chunks');
    const names = readdirSync(chunks).map((name) => name.replace(/-.{8}\.js$/, '-00000000.js'));
    changes.removed(installed);
    mkdirSync(chunks, { recursive: true });
    for (const name of names)
      writeFileSync(join(chunks, name), 'console.error("another version");');
  },
};

const rows = ['rat', 'bat', 'gnat', 'Käfer'];
const csv = `name\n${rows.join('\n')}\n`;
const gone =
  'petstore: petstore was replaced or removed while it was running\nRun the command again.\n';
const formats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'raw'];

function expectOwnWords({ said: { stdout, stderr } }: Running, installed: string): void {
  expect(`${stdout}${stderr}`).not.toContain(installed);
  expect(`${stdout}${stderr}`).not.toContain('another version');
  expect(stderr).not.toContain('bug');
}

describe('an upgrade while a command runs', () => {
  test.for([
    ...formats.map((format) => ({ format, change: 'replaced' as const })),
    { format: 'table', change: 'removed' as const },
  ])(
    'leaves an import to its end that is $change: all rows are created and recorded, and printed as $format',
    async ({ format, change }, { shop, overtake, petstore, folder }) => {
      writeFileSync(join(folder, 'pets.csv'), csv);
      const argv = ['categories', 'import', 'pets.csv', '--yes', '-o', format];

      const { code, stdout } = await overtake(argv, 'POST', { change });

      expect(code).toBe(0);
      expect(stdout).toContain('created');
      expect(shop.names.toSorted()).toEqual(rows.toSorted());
      const env = { PETSTORE_BASE_URL: shop.url, PETSTORE_API_KEY: 'any-key-at-all' };
      const again = await petstore(argv, { env });
      expect(again.code).toBe(0);
      expect(again.stderr).toContain('is finished: 4 rows created');
      expect(shop.names).toHaveLength(rows.length);
    },
  );

  test.for(formats)(
    'leaves a create to its end, and prints it as %s',
    async (format, { overtake }) => {
      const { code, stdout } = await overtake(
        ['categories', 'create', 'Käfer', '-o', format],
        'POST',
      );

      expect(stdout).toContain('Käfer');
      expect(code).toBe(0);
    },
  );

  test.for([
    { argv: ['api', 'POST', '/categories', '--data', '{"name":"Käfer"}'], at: 'POST' },
    { argv: ['categories', 'create', 'Käfer', '--query', '[{n: name}, id]'], at: 'POST' },
    { argv: ['categories', 'create', 'Käfer', '--if-missing'], at: 'GET' },
    { argv: ['categories', 'create', 'Käfer', '--if-missing'], at: 'POST' },
  ] as const)(
    'leaves what $argv asks for to its end, at its $at',
    async (row, { shop, overtake }) => {
      const { code, stdout } = await overtake(row.argv, row.at);

      expect(stdout).toContain('Käfer');
      expect(code).toBe(0);
      expect(shop.names).toEqual(['Käfer']);
    },
  );

  test('does not keep a create whose outcome is unknown from being looked up', async ({
    overtake,
  }) => {
    const then = async ({ child, says }: Running) => {
      await says('it may have been created: checking the list of categories in 60s');
      child.kill('SIGINT');
    };

    const { code, stderr } = await overtake(['categories', 'create', 'rat'], 'POST', {
      how: 'cut',
      then,
    });

    expect(stderr).toContain('\nIt may have been created.\n');
    expect(code).toBe(130);
  });

  test('ends a list that cannot be printed any more in words, with nothing printed', async ({
    overtake,
  }) => {
    const ended = await overtake(['categories', 'list', '-o', 'yaml'], 'GET');

    expect(ended).toEqual({ code: 74, stdout: '', stderr: gone });
  });

  test.for(['table', 'yaml', 'csv'])(
    'leaves a long list to its end that it has begun to print as %s',
    async (format, { shop, overtake }) => {
      // Longer than what is read before anything is printed.
      for (let n = 0; n < 150_000; n += 1) shop.names.push(`${n} ${'x'.repeat(80)} é`);
      const first = ({ says }: Running) => says('100 xxx');

      const { code, stdout } = await overtake(['categories', 'list', '-o', format], 'GET', {
        part: 0.9,
        first,
      });

      expect(stdout).toContain('149999 xxx');
      expect(code).toBe(0);
    },
  );
});
