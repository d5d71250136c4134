import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe } from 'vitest';
import { claim } from '../../src/disk/claim.ts';
import { claimPath } from '../../src/import/journal-files.ts';
import { formatEntry } from '../../src/import/records.ts';
import { test as base, expect, type Fixtures, reply, testKey } from '../support/petstore.ts';

type Kept = { readonly path: string; readonly why: string };
type Result = { readonly removed: readonly string[]; readonly kept: readonly Kept[] };

/** As petstore names journals and logs. */
const id = '0123456789abcdef';
const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100';
const withoutKey = { env: { PETSTORE_API_KEY: undefined } };

const test = base.extend<{
  /** Leaves something of every kind, and resolves with their paths below the folder of the test. */
  used: readonly string[];
  reset: (...options: string[]) => Promise<Result & { exitCode: number; stderr: string }>;
}>({
  used: async ({ folder, petstore }, use) => {
    const rows = join(folder, 'rows.csv');
    writeFileSync(rows, 'name\nparrot\n');
    await petstore(['config', 'set', 'output', 'json', '-p', 'staging']);
    await petstore(['config', 'set', 'base-url', 'https://a.example/v1', '-p', 'staging']);
    const login = ['auth', 'login', '-p', 'staging', '--api-key-file', '-'];
    await petstore(login, { ...withoutKey, stdin: 'staging-key-0123456789' });
    await petstore(['categories', 'create', 'ferret', '--if-missing', '--profile', 'sandbox']);
    await petstore(['categories', 'import', rows, '--yes']);
    await petstore(['pets', 'get', '1']);
    writeFileSync(join(folder, 'config', `settings.json.${uuid}.tmp`), '{');
    await use(pathsBelow(folder).filter((path) => path !== 'rows.csv'));
  },
  reset: ({ petstore }, use) =>
    use(async (...options) => {
      const { exitCode, stdout, stderr } = await petstore(['reset', '--json', ...options]);
      return { exitCode, stderr, ...JSON.parse(stdout || '{}') };
    }),
});

function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

const long = (count: number) =>
  `name\n${Array.from({ length: count }, (_, n) => `pet ${n}\n`).join('')}`;

/** An import that the limit stops after some of its ten rows. */
async function stopImport(
  { folder, petstore, sandbox }: Pick<Fixtures, 'folder' | 'petstore' | 'sandbox'>,
  ...options: string[]
) {
  const rows = join(folder, 'ten.csv');
  writeFileSync(rows, long(10));
  let left = 4;
  sandbox.react = () => {
    left -= 1;
    return left < 0 ? reply(429, '', { 'retry-after': '60' }) : undefined;
  };
  const argv = ['categories', 'import', rows, '--yes', '--max-wait', '0', ...options];
  expect(await petstore(argv)).toMatchObject({ exitCode: 75 });
  const imports = join(folder, 'state', 'imports');
  const [name = ''] = readdirSync(imports).filter((name) => name.endsWith('.journal'));
  return { rows, journal: join(imports, name) };
}

describe('config path --all', () => {
  test('lists every file and folder that petstore has made, and knows each', async ({
    folder,
    petstore,
    used,
  }) => {
    writeFileSync(join(folder, '.bashrc'), 'alias x=y\n');
    await petstore(['completion', 'install', 'bash']);
    mkdirSync(join(folder, 'temporary', 'petstore-sandbox-a1B2c3'), { recursive: true });

    const { exitCode, stdout } = await petstore(['config', 'path', '--all', '--json']);

    expect(exitCode).toBe(0);
    const rows: readonly Record<string, unknown>[] = JSON.parse(stdout);
    const listed = rows.filter(({ exists }) => exists).map(({ path }) => String(path));
    expect(listed).toEqual(expect.arrayContaining(used.map((path) => join(folder, path))));
    expect(rows.filter(({ what }) => what === 'not a file of petstore')).toEqual([]);
    expect(rows).toEqual(
      expect.arrayContaining([
        {
          path: join(folder, 'config', 'keys', 'staging.json'),
          what: 'API key of profile staging',
          exists: true,
          bytes: expect.any(Number),
        },
        {
          path: join(folder, '.bashrc'),
          what: 'completion for bash: lines in this file',
          exists: true,
        },
        {
          path: join(folder, 'temporary', 'petstore-sandbox-a1B2c3'),
          what: 'folder of petstore sandbox -- COMMAND',
          exists: true,
        },
      ]),
    );
    expect(stdout).not.toContain('staging-key');
    expect(stdout).not.toContain(testKey);
  });

  test('names the places where nothing is yet, and makes none', async ({ folder, petstore }) => {
    const { stdout } = await petstore(['config', 'path', '--all', '-o', 'tsv', '--no-header']);

    const lines = stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => line.replace(folder, '').split('\t'))).toEqual([
      ['/config', 'settings folder', 'false', ''],
      ['/state', 'state folder', 'false', ''],
      [expect.stringMatching(/^\/temporary\/petstore-/), 'temporary state folder', 'false', ''],
      ['/config/settings.json', 'settings', 'false', ''],
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says the same of a place in JSON whether or not it exists', async ({
    folder,
    petstore,
  }) => {
    const state = async () => {
      const { stdout } = await petstore(['config', 'path', '--all', '--json']);
      const rows: { path: string; what: string; exists: boolean }[] = JSON.parse(stdout);
      return rows.find(({ path }) => path === join(folder, 'state'));
    };
    const before = await state();
    mkdirSync(join(folder, 'state'));

    expect([before, await state()]).toEqual([
      { path: join(folder, 'state'), what: 'state folder', exists: false },
      { path: join(folder, 'state'), what: 'state folder', exists: true },
    ]);
  });

  test('has the columns of its JSON', async ({ folder, petstore }) => {
    const { stdout } = await petstore([
      ...['config', 'path', '--all', '-o', 'csv', '--columns', 'path,exists,bytes'],
    ]);

    expect(stdout).toContain(`path,exists,bytes\n${join(folder, 'config')},false,\n`);
  });

  test('shows what it does not know, but not what is in it', async ({ folder, petstore }) => {
    mkdirSync(join(folder, 'state', 'else', 'where'), { recursive: true });

    const { stdout } = await petstore(['config', 'path', '--all', '--json']);

    expect(JSON.parse(stdout)).toContainEqual({
      path: join(folder, 'state', 'else'),
      what: 'not a file of petstore',
      exists: true,
    });
    expect(stdout).not.toContain('where');
  });
});

describe('reset', () => {
  test('removes all that petstore keeps, and nothing else', async ({ folder, reset, used }) => {
    const { exitCode, removed, kept } = await reset('--yes');

    expect({ exitCode, kept }).toEqual({ exitCode: 0, kept: [] });
    expect(removed).toEqual(used.map((path) => join(folder, path)));
    expect(pathsBelow(folder)).toEqual(['rows.csv']);
    expect(await reset('--yes')).toMatchObject({ exitCode: 0, removed: [], kept: [] });
    expect(pathsBelow(folder)).toEqual(['rows.csv']);
  });

  test('prints no empty table where there is nothing to remove', async ({ petstore }) => {
    for (const option of ['--dry-run', '--yes']) {
      expect(await petstore(['reset', option])).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: 'petstore: nothing to remove\n',
      });
    }
  });

  test('--dry-run lists the same, and changes nothing', async ({ folder, petstore, used }) => {
    const { exitCode, stdout } = await petstore(['reset', '--dry-run', '--json']);

    const { wouldRemove, kept } = JSON.parse(stdout);
    expect({ exitCode, kept }).toEqual({ exitCode: 0, kept: [] });
    expect(wouldRemove.toSorted()).toEqual(used.map((path) => join(folder, path)));
    expect(pathsBelow(folder)).toEqual([...used, 'rows.csv'].sort());
  });

  test('keeps files of others, and the folders they are in', async ({ folder, reset, used }) => {
    const others = [
      'config/notes.txt',
      'config/keys/service.json',
      'config/keys/README',
      'config/else/settings.json',
      'state/imports/rows.csv',
      'state/limits/x.log',
      'state/names/names',
      `state/other.${uuid}.tmp`,
    ];
    mkdirSync(join(folder, 'config', 'else'));
    for (const path of others) writeFileSync(join(folder, path), '{"private":"0123456789"}');

    const { exitCode, kept } = await reset('--yes', '--force');

    expect(exitCode).toBe(0);
    expect(used.length).toBeGreaterThan(0);
    expect(kept.map(({ path }) => relative(folder, path)).sort()).toEqual(
      others.map((path) => path.replace('else/settings.json', 'else')).sort(),
    );
    const folders = ['config', 'config/else', 'config/keys'];
    const inState = ['state', 'state/imports', 'state/limits', 'state/names'];
    expect(pathsBelow(folder)).toEqual([...folders, ...inState, ...others, 'rows.csv'].sort());
  });

  test('keeps a settings file that is not one of petstore', async ({ folder, reset }) => {
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'config', 'settings.json'), '{"editor.tabSize":2}');

    const { exitCode, kept } = await reset('--yes');

    expect(exitCode).toBe(0);
    expect(kept).toEqual([
      {
        path: join(folder, 'config', 'settings.json'),
        why: expect.stringContaining('unknown field "editor.tabSize"'),
      },
    ]);
  });

  test('removes links, and nothing that they lead to', async ({ folder, petstore, reset }) => {
    const own = join(folder, 'own');
    mkdirSync(join(own, 'dotfiles'), { recursive: true });
    mkdirSync(join(own, 'keys'));
    mkdirSync(join(folder, 'state', 'imports'), { recursive: true });
    symlinkSync(join(own, 'dotfiles'), join(folder, 'config'));
    await petstore(['config', 'set', 'output', 'json']);
    writeFileSync(join(own, 'keys', 'production.json'), '{"origin":"https://a","key":"b"}');
    writeFileSync(join(own, 'sandbox.log'), 'mine');
    symlinkSync(join(own, 'keys'), join(folder, 'config', 'keys'));
    mkdirSync(join(folder, 'state', 'sandbox'));
    symlinkSync(join(own, 'sandbox.log'), join(folder, 'state', 'sandbox', 'requests.log'));
    symlinkSync('/nowhere', join(folder, 'state', 'limits'));
    symlinkSync(join(own, 'dotfiles'), join(folder, 'state', 'imports', `${id}.journal`));

    const { exitCode, kept } = await reset('--yes');

    expect(exitCode).toBe(0);
    expect(kept).toEqual([
      { path: join(own, 'sandbox.log'), why: 'only the link to it was removed' },
      { path: join(own, 'dotfiles'), why: 'only the link to it was removed' },
      { path: join(own, 'keys'), why: 'only the link to it was removed' },
    ]);
    expect(pathsBelow(folder)).toEqual([
      'own',
      'own/dotfiles',
      'own/keys',
      'own/keys/production.json',
      'own/sandbox.log',
    ]);
  });

  test('keeps what an editor or a sandbox may have open', async ({ folder, reset }) => {
    const copy = join(folder, 'config', `edit-${uuid}`);
    const run = join(folder, 'temporary', 'petstore-sandbox-a1B2c3');
    for (const path of [copy, run]) mkdirSync(path, { recursive: true });

    expect((await reset('--yes', '--force')).kept).toEqual([
      { path: copy, why: 'it may be open in an editor' },
      { path: run, why: 'a sandbox may be running in it' },
    ]);
  });

  test('leaves completion to the command that removes it', async ({ folder, petstore, reset }) => {
    await petstore(['completion', 'install', 'zsh']);

    const { kept } = await reset('--yes');

    const why = 'to remove it: petstore completion uninstall zsh';
    expect(kept).toEqual([{ path: join(folder, '.zshrc'), why }]);
  });

  test('is for all profiles', async ({ petstore, used }) => {
    const { exitCode, stderr } = await petstore(['reset', '--yes', '--profile', 'staging']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--profile cannot be used with reset, which removes all profiles');
    expect(used.length).toBeGreaterThan(0);
  });
});

describe('reset and the question', () => {
  test('needs --yes without a terminal', async ({ folder, petstore, used }) => {
    const { exitCode, stdout, stderr } = await petstore(['reset']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('confirmation needed, but this is not a terminal (use --yes)');
    expect(pathsBelow(folder)).toEqual([...used, 'rows.csv'].sort());
  });

  test.for([
    { agrees: true, exitCode: 0, isThere: false },
    { agrees: false, exitCode: 2, isThere: true },
  ])(
    'asks at a terminal, after the list: $agrees',
    async ({ agrees, exitCode, isThere }, { folder, petstore, used }) => {
      const asked: string[] = [];
      const confirm = async (question: string) => {
        asked.push(question);
        return agrees;
      };
      const stdin = Object.assign(process.stdin, {});
      const result = await petstore(['reset'], {
        columns: 200,
        context: { confirm, stdin: Object.create(stdin, { isTTY: { value: true } }) },
      });

      expect(asked).toEqual([
        expect.stringMatching(/^Remove \d+ files and folders, 1 stored API key included\?$/),
      ]);
      expect(result.exitCode).toBe(exitCode);
      expect(result.stderr).toContain(
        `${join(folder, 'config', 'keys', 'staging.json')} (API key of profile staging)`,
      );
      expect(existsSync(join(folder, 'config', 'keys'))).toBe(isThere);
      expect(used.length).toBeGreaterThan(0);
    },
  );
});

describe('reset and an unfinished import', () => {
  test('keeps its journal, and says how to finish it', async ({
    folder,
    clock,
    petstore,
    reset,
    sandbox,
  }) => {
    const fixtures = { folder, petstore, sandbox };
    const { rows, journal } = await stopImport(fixtures, '--allow-duplicates');
    await clock.sleep(120_000, new AbortController().signal);

    const { exitCode, kept } = await reset('--yes');

    expect(exitCode).toBe(0);
    const command = `petstore categories import '${rows}' --allow-duplicates`;
    expect(kept).toEqual([
      {
        path: journal,
        why: `unfinished import, 3 of 10 rows created; to finish it: ${command}`,
      },
    ]);
    expect(pathsBelow(join(folder, 'state'))).toEqual(['imports', `imports/${basename(journal)}`]);
    sandbox.react = () => undefined;
    const argv = ['categories', 'import', rows, '--allow-duplicates', '--yes'];
    expect(await petstore(argv)).toMatchObject({ exitCode: 0 });
    expect(sandbox.categories).toHaveLength(10);
  });

  test('--force removes it', async ({ folder, petstore, reset, sandbox }) => {
    await stopImport({ folder, petstore, sandbox });

    expect(await reset('--yes', '--force')).toMatchObject({ exitCode: 0, kept: [] });
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });

  test('into the sandbox keeps the sandbox', async ({ folder, reset }) => {
    const state = join(folder, 'state');
    for (const name of ['imports', 'sandbox']) mkdirSync(join(state, name), { recursive: true });
    writeFileSync(join(state, 'sandbox', 'requests.log'), '');
    const header = { k: 'h', v: 1, at: 0, address: 'sandbox', sha256: 'x', rows: 2 } as const;
    const line = formatEntry({ ...header, mode: 'ensure', fingerprint: '', salt: '' });
    const journal = join(state, 'imports', `${id}.journal`);
    writeFileSync(journal, line);

    const { kept } = await reset('--yes');

    const command = 'petstore categories import - --profile sandbox';
    expect(kept).toEqual([
      { path: journal, why: `unfinished import, 0 of 2 rows created; to finish it: ${command}` },
      { path: join(state, 'sandbox', 'requests.log'), why: 'an unfinished import needs it' },
    ]);
  });
});

describe('reset and other processes', () => {
  const other = { pid: 77, host: 'here', born: 'then' };
  const running = { isRunning: () => true };

  test.for([['--yes'], ['--yes', '--force']])(
    'keeps what an import works with: %s',
    async (options, { folder, clock, petstore, sandbox }) => {
      const { journal } = await stopImport({ folder, petstore, sandbox });
      await clock.sleep(120_000, new AbortController().signal);
      const claims = journal.replace(/[^/]*$/, '');
      const path = join(claims, claimName(journal));
      claim({ ...running, owner: other, now: clock.now }, path);

      const { exitCode, stdout } = await petstore(['reset', '--json', ...options]);

      const { kept }: Result = JSON.parse(stdout);
      expect(exitCode).toBe(0);
      expect(new Set(kept.map(({ why }) => why))).toEqual(
        new Set(['in use by process 77 on here', 'the rate limit log that is kept needs it']),
      );
      const limits = readdirSync(join(folder, 'state', 'limits')).map((name) => `limits/${name}`);
      const paths = kept.map((one) => relative(join(folder, 'state'), one.path));
      expect(paths.toSorted()).toEqual(
        [relative(join(folder, 'state'), path), `imports/${basename(journal)}`, ...limits].sort(),
      );
    },
  );

  test('keeps a limit with a request in flight', async ({ petstore, reset, sandbox }) => {
    let kept: readonly Kept[] = [];
    sandbox.reactions.push(async (_request, forward) => {
      ({ kept } = await reset('--yes', '--force'));
      return forward();
    });

    await petstore(['categories', 'list']);

    expect(kept.map(({ path, why }) => [basename(path).replace(/^[0-9a-f]{16}/, ''), why])).toEqual(
      [
        ['.1.log', 'in use by process 4242 on here'],
        ['salt', 'the rate limit log that is kept needs it'],
      ],
    );
  });

  test('removes what a process left that has ended', async ({ folder, clock, petstore }) => {
    const owned = { ...running, owner: other, now: clock.now };
    mkdirSync(join(folder, 'config'));
    claim(owned, join(folder, 'config', 'keys.lock'));
    mkdirSync(join(folder, 'state'));
    claim(owned, join(folder, 'state', 'imports', `${id}.claim`));
    const mark = JSON.stringify({ ...other, since: 1, doing: 'creating' });
    mkdirSync(join(folder, 'state', 'names'));
    writeFileSync(join(folder, 'state', 'names', `${id}.${uuid}`), `${mark}\nkey`);

    const ended = { isRunning: ({ pid }: { pid: number }) => pid !== other.pid };
    const result = await petstore(['reset', '--yes', '--json'], { context: ended });

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).kept).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says who has locked what cannot be removed, and what was', async ({
    folder,
    clock,
    reset,
    used,
  }) => {
    claim({ ...running, owner: other, now: clock.now }, join(folder, 'config', 'keys.lock'));

    const { exitCode, stderr, removed, kept } = await reset('--yes');

    expect(exitCode).toBe(74);
    expect(stderr).toContain('process 77 on here has locked');
    expect(stderr).toContain('"hint":"Try again.');
    expect(stderr).toContain(`rm -r '${join(folder, 'config', 'keys.lock')}'`);
    expect(stderr).not.toContain('may still accept');
    expect(removed).toContain(join(folder, 'config', 'settings.json'));
    expect(kept.map(({ path }) => relative(folder, path)).sort()).toEqual(
      [...used.filter((path) => path.startsWith('config/keys')), 'config/keys.lock'].sort(),
    );
    expect(existsSync(join(folder, 'config', 'keys', 'staging.json'))).toBe(true);
  });

  test('two at once remove everything once', async ({ folder, reset, used }) => {
    const [one, two] = await Promise.all([reset('--yes'), reset('--yes')]);

    expect([one.exitCode, two.exitCode]).toEqual([0, 0]);
    expect([...one.removed, ...two.removed].sort()).toEqual(
      used.map((path) => join(folder, path)).sort(),
    );
    expect(pathsBelow(folder)).toEqual(['rows.csv']);
  });
});

describe('reset and a wait in force', () => {
  test('keeps the limit until it is over, or --force', async ({
    folder,
    clock,
    petstore,
    reset,
    sandbox,
  }) => {
    sandbox.react = () => reply(429, '', { 'retry-after': '600' });
    await petstore(['categories', 'list', '--max-wait', '0']);

    const { kept } = await reset('--yes');
    const again = await petstore(['categories', 'list', '--max-wait', '0']);

    expect(kept[0]?.why).toMatch(
      /^rate limit exceeded \(429\); next request in 10m .*\(2026-11-20T15:14:/,
    );
    expect(kept.map(({ path }) => basename(path))).toEqual([expect.stringMatching(/log$/), 'salt']);
    expect(again).toMatchObject({ exitCode: 75 });
    expect(sandbox.requests).toHaveLength(1);
    expect(await reset('--yes', '--force')).toMatchObject({ kept: [] });
    expect(existsSync(join(folder, 'state'))).toBe(false);
    expect(clock.slept).toEqual([]);
  });
});

/** The claim of an import, as its journal's header names it. */
function claimName(journal: string): string {
  const { address, sha256 } = JSON.parse(
    readFileSync(journal, 'utf8').split('\n')[0]?.slice(9) ?? '',
  );
  return basename(claimPath('', { address, sha256 }));
}
