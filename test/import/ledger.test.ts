import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  apply,
  test as base,
  countsOf,
  creates,
  ledgerFiles,
  namesIn,
  pets,
  put,
  reactTo,
  three,
} from '../support/import-cases.ts';
import { expect, type Reaction, reply, testKey } from '../support/petstore.ts';
import { respondAfter } from '../support/told.ts';
import { exact, plans, type Send } from '../support/values.ts';

type Rename = (name: string) => string;

const patient = ['--max-wait', 'inf'];
const ifMissing = (name: string) => ['categories', 'create', name, '--if-missing', '--json'];
const never = new AbortController().signal;

const test = base.extend<{
  /** From now on the service keeps each name in another form. */
  rename: (how: Rename) => void;
  /** From now on its lists are those of so long ago. */
  cacheFor: (ms: number) => void;
}>({
  rename: ({ sandbox }, use) =>
    use((how) => {
      const create: Reaction = async (_request, forward) => {
        const answer = await forward();
        let text = '';
        for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
        const { id, name } = JSON.parse(text);
        const at = sandbox.categories.findIndex((category) => Number(category.id) === id);
        sandbox.categories.splice(at, 1, { id: exact(String(id)), name: how(name) });
        return { ...answer, body: bytesOf(JSON.stringify({ id, name: how(name) })) };
      };
      sandbox.react = ({ method }) => (method === 'POST' ? create : undefined);
    }),

  cacheFor: ({ sandbox, clock }, use) =>
    use((ms) => {
      let kept: { readonly at: number; readonly text: string } | undefined;
      sandbox.react = ({ method }) => {
        if (method !== 'GET') return undefined;
        if (!kept || clock.uptime() - kept.at > ms) {
          const rows = sandbox.categories.map(({ id, ...rest }) => ({ ...rest, id: Number(id) }));
          kept = { at: clock.uptime(), text: JSON.stringify(rows) };
        }
        return reply(200, kept.text);
      };
    }),
});

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

describe('a service that keeps names in a form of its own', () => {
  const forms: readonly (readonly [what: string, Rename])[] = [
    ['escapes HTML', (name) => name.replaceAll('&', '&amp;')],
    ['trims', (name) => name.trim()],
    ['truncates', (name) => name.slice(0, 7)],
    ['writes small letters', (name) => name.toLowerCase()],
    ['collapses spaces', (name) => name.replace(/ +/g, ' ')],
  ];
  const odd = ' Salt  & Pepper ';
  const text = `name\ndog\n"${odd}"\n`;

  test.for(forms)(
    '%s: a growing file makes no second one',
    async (row, { rename, importText, sandbox }) => {
      const [, how] = row;
      rename(how);

      const first = await importText(text);
      const second = await importText(`${text}emu\n`);

      expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
      expect(countsOf(second.stdout)).toEqual({ created: 1, existing: 2 });
      expect(JSON.parse(second.stdout).items[1]).toMatchObject({ id: 2, as: how(odd) });
      expect(second.stderr).toContain('already exists as');
      expect(sandbox.categories).toHaveLength(3);
    },
  );

  test.for(forms)(
    '%s: create --if-missing twice, and diff',
    async (row, { rename, petstore, folder, sandbox }) => {
      const [, how] = row;
      rename(how);

      const results = [await petstore(ifMissing(odd)), await petstore(ifMissing(odd))];
      const diff = await petstore([
        'categories',
        'diff',
        put(folder, `name\n"${odd}"\n`),
        '--json',
      ]);
      const plan = await petstore([
        ...['categories', 'import', put(folder, `name\n"${odd}"\n`), '--dry-run', '--json'],
      ]);

      for (const { exitCode, stdout, stderr } of results) {
        expect([exitCode, JSON.parse(stdout)]).toEqual([0, { id: 1, name: how(odd) }]);
        expect(stderr).toContain('the service changed the name to');
      }
      expect([diff.exitCode, JSON.parse(diff.stdout)]).toEqual([0, []]);
      expect(countsOf(plan.stdout)).toEqual({ existing: 1 });
      expect(sandbox.categories).toHaveLength(1);
    },
  );

  test('is known after a plain create, and after a minute', async ({
    rename,
    petstore,
    importText,
    clock,
    sandbox,
  }) => {
    rename((name) => name.replaceAll('&', '&amp;'));
    await petstore(['categories', 'create', 'a & b']);
    await clock.sleep(3_600_000, never);
    await petstore(['categories', 'create', 'plain']);

    const { exitCode, stdout } = await importText('name\na & b\nplain\n');

    expect([exitCode, countsOf(stdout)]).toEqual([0, { existing: 2 }]);
    expect(namesIn(sandbox)).toEqual(['a &amp; b', 'plain']);
  });

  test.for<[what: string, env: Record<string, string>]>([
    ['another service', { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' }],
    ['another state folder', { PETSTORE_STATE_DIR: '/' }],
  ])('is not known at %s', async ([, env], { rename, petstore, folder, sandbox }) => {
    rename((name) => name.toUpperCase().replace('&', 'AND'));
    await petstore(ifMissing('a & b'));

    const elsewhere = env.PETSTORE_STATE_DIR ? { PETSTORE_STATE_DIR: join(folder, 'other') } : env;
    const { exitCode } = await petstore(ifMissing('a & b'), { env: elsewhere });

    expect(exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(2);
  });

  test('is forgotten where the service has lost the category', async ({
    rename,
    petstore,
    clock,
    sandbox,
  }) => {
    rename((name) => name.replaceAll('&', '&amp;'));
    await petstore(ifMissing('a & b'));
    await clock.sleep(61_000, never);
    sandbox.categories.length = 0;
    sandbox.requests.length = 0;

    expect((await petstore(ifMissing('a & b'))).exitCode).toBe(0);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });
});

describe('a list out of a cache that does not say so', () => {
  const cat = ifMissing('cat');

  test.for([
    ['create --if-missing', cat],
    ['create', ['categories', 'create', 'cat', '--json']],
  ] as const)(
    'of up to a minute makes %s no second one',
    async (row, { cacheFor, petstore, sandbox }) => {
      const [, argv] = row;
      cacheFor(50_000);
      await petstore(['categories', 'list']);
      await petstore(argv);

      const { exitCode, stdout, stderr } = await petstore(cat);

      expect([exitCode, JSON.parse(stdout)]).toEqual([0, { id: 1, name: 'cat' }]);
      expect(stderr).toContain('1 category that petstore knows is missing from the list');
      expect(namesIn(sandbox)).toEqual(['cat']);
    },
  );

  test('makes no row of a second file twice', async ({ cacheFor, petstore, folder, sandbox }) => {
    const argv = ['categories', 'import', put(folder, three), ...apply, ...patient];
    sandbox.react = reactTo('emu', reply(401, ''));
    await petstore(argv);
    const before = sandbox.categories.splice(0);
    cacheFor(50_000);
    await petstore(['categories', 'list']);
    sandbox.categories.push(...before);

    const { exitCode, stdout } = await petstore(argv);

    expect([exitCode, countsOf(stdout)]).toEqual([0, { created: 1, existing: 2 }]);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test('of ten minutes ends an import until it shows its rows', async ({
    cacheFor,
    petstore,
    folder,
    sandbox,
  }) => {
    const argv = ['categories', 'import', put(folder, three), ...apply, ...patient];
    cacheFor(600_000);
    const codes: number[] = [];
    while (codes.at(-1) !== 0) codes.push((await petstore(argv)).exitCode);

    expect(codes.slice(0, -1).every((code) => code === 5)).toBe(true);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test('is believed when what it lacks was created a minute ago', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    await petstore(cat);
    sandbox.categories.length = 0;
    const start = clock.uptime();

    const { exitCode } = await petstore(cat);
    const lastedMs = clock.uptime() - start;

    expect(exitCode).toBe(0);
    expect(lastedMs).toBeGreaterThan(55_000);
    expect(lastedMs).toBeLessThan(65_000);
    expect(creates(sandbox)).toEqual(['cat', 'cat']);
  });

  test.for([-3_600_000, 3_600_000])(
    'makes nobody wait once the clock is set by %i ms',
    async (ms, { petstore, sandbox, clock }) => {
      await petstore(cat);
      sandbox.categories.length = 0;
      const start = clock.uptime();

      await petstore(cat, { context: { now: () => clock.now() + ms } });

      expect(clock.uptime() - start).toBeLessThan(1_000);
      expect(sandbox.categories).toHaveLength(1);
    },
  );
});

describe('what was created here', () => {
  test('is small, and tells no name and no key', async ({ petstore, folder, clock }) => {
    for (let n = 0; n < 5; n += 1) {
      await petstore(['categories', 'create', n % 2 ? `rabbit ${n}` : `my ${testKey}`]);
      await clock.sleep(60_000, never);
    }

    const files = ledgerFiles(folder);

    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(3);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      expect(text).not.toMatch(new RegExp(`rabbit|${testKey}`));
      expect(text.length).toBeLessThan(400);
    }
  });

  test('in the sandbox is deleted with the sandbox', async ({ petstore, forward, folder }) => {
    const argv = [...ifMissing('frog'), '--profile', 'sandbox'];
    const authorization = `Bearer ${testKey}`;
    const send: Send = (request) =>
      forward({ ...request, headers: { ...request.headers, authorization } });
    const { exitCode } = await petstore(argv, { context: { send } });

    expect(exitCode).toBe(0);
    expect(readdirSync(join(folder, 'state')).sort()).toEqual(['limits', 'sandbox', 'turns']);
    expect(ledgerFiles(folder)).toHaveLength(1);
  });

  test('is skipped where it is torn or damaged', async ({ petstore, rename, folder, sandbox }) => {
    sandbox.plan = plans.business;
    rename((name) => name.replaceAll('&', '&amp;'));
    for (const name of ['a & b', 'c & d']) await petstore(ifMissing(name));
    const [ledger = ''] = ledgerFiles(folder).filter((path) => path.endsWith('kept'));
    const bytes = readFileSync(ledger);
    const second = bytes.lastIndexOf('\n');
    for (let at = 0; at < second; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8((damaged.readUInt8(at) + 1) % 256, at);
      writeFileSync(ledger, damaged);

      const { exitCode, stdout } = await petstore(ifMissing('c & d'));

      expect([exitCode, JSON.parse(stdout).id], `byte ${at}`).toEqual([0, 2]);
    }
    for (let length = second; length < bytes.length; length += 9) {
      writeFileSync(ledger, bytes.subarray(0, length));
      await petstore(['categories', 'create', `e & ${length}`]);

      const { exitCode } = await petstore(ifMissing(`e & ${length}`));

      expect([exitCode, creates(sandbox).length]).toEqual([0, sandbox.categories.length]);
    }
  });

  test('by an import of some minutes makes nobody wait', async ({
    importText,
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.plan = plans.business;
    sandbox.react = ({ method }) => (method === 'POST' ? respondAfter(clock, 10_000) : undefined);
    const before = clock.uptime();
    const first = await importText(pets(400));
    const lastedMs = clock.uptime() - before;
    const start = clock.uptime();

    const next = await petstore(ifMissing('pet 7'));

    expect([first.exitCode, next.exitCode]).toEqual([0, 0]);
    expect(lastedMs).toBeGreaterThan(200_000);
    expect(clock.uptime() - start).toBeLessThan(2_000);
  });

  test('need not be saved for a create', async ({ petstore, folder, sandbox }) => {
    await petstore(['categories', 'list']);
    rmSync(join(folder, 'state', 'ledger'), { recursive: true, force: true });
    writeFileSync(join(folder, 'state', 'ledger'), 'a file where a folder belongs');

    const { exitCode, stdout } = await petstore(['categories', 'create', 'cat', '--json']);

    expect([exitCode, JSON.parse(stdout).name]).toEqual([0, 'cat']);
    expect(namesIn(sandbox)).toEqual(['cat']);
  });
});
