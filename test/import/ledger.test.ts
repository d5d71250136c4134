import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import {
  atTerminal,
  test as base,
  type Create,
  creates,
  cutAfter,
  ledgerFiles,
  methods,
  namesIn,
  pets,
  put,
  reactTo,
  three,
} from '../support/import-cases.ts';
import { expect, type Reaction, reply, testKey } from '../support/petstore.ts';
import { never, respondAfter, second } from '../support/told.ts';
import { category, exact, plans } from '../support/values.ts';

type Rename = (name: string) => string;

const ifMissing = (name: string) => ['categories', 'create', name, '--if-missing', '--json'];
const trim: Rename = (name) => name.trim();
const escapeHtml: Rename = (name) => name.replaceAll('&', '&amp;');

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
        for await (const chunk of answer.body) text += Buffer.from(chunk);
        const { id, name } = JSON.parse(text);
        const at = sandbox.categories.findIndex((category) => Number(category.id) === id);
        sandbox.categories.splice(at, 1, { id: exact(String(id)), name: how(name) });
        const body = Readable.from([Buffer.from(JSON.stringify({ id, name: how(name) }))]);
        return { ...answer, body };
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

const minute = 60 * second;

describe('a service that keeps names in a form of its own', () => {
  const odd = ' Salt  & Pepper ';
  const text = `name\ndog\n"${odd}"\n`;

  test.for<[what: string, Rename]>([
    ['escapes HTML', escapeHtml],
    ['trims', trim],
    ['truncates', (name) => name.slice(0, 7)],
    ['writes small letters', (name) => name.toLowerCase()],
    ['collapses spaces', (name) => name.replace(/ +/g, ' ')],
  ])('%s: a growing file makes no second one', async ([, how], { rename, importText, sandbox }) => {
    rename(how);

    const first = await importText(text);
    const next = await importText(`${text}emu\n`);

    expect([first.exitCode, next.exitCode]).toEqual([0, 0]);
    expect(next.json.counts).toEqual({ created: 1, existing: 2 });
    expect(next.json.items[1]).toMatchObject({ id: 2, as: how(odd) });
    expect(next.stderr).toContain('already exists as');
    expect(sandbox.categories).toHaveLength(3);
  });

  test('has made of a row whose response was lost what looks like it', async ({
    rename,
    importText,
    sandbox,
  }) => {
    rename((name) => name.toLowerCase());
    const { react } = sandbox;
    const lost = reactTo('Ferret', (request, forward) =>
      cutAfter(request, () => (react(request) as Create)(request, forward)),
    );
    sandbox.react = (request) => lost(request) ?? react(request);

    const { exitCode, json } = await importText('name\nFerret\n');

    expect([exitCode, json.items]).toMatchObject([0, [{ outcome: 'created', as: 'ferret' }]]);
    expect(namesIn(sandbox)).toEqual(['ferret']);
  });

  test('has a copy, which is named, of a row whose response was lost', async ({
    rename,
    importText,
    sandbox,
  }) => {
    rename(escapeHtml);
    const { react } = sandbox;
    const lost = reactTo(odd, (request, forward) =>
      cutAfter(request, () => (react(request) as Create)(request, forward)),
    );
    sandbox.react = (request) => lost(request) ?? react(request);

    const { exitCode, json } = await importText(text);

    expect([exitCode, json.copies]).toMatchObject([7, [{ name: escapeHtml(odd) }]]);
  });

  test('is known to other commands', async ({ rename, petstore, importText, folder, sandbox }) => {
    rename(escapeHtml);
    const file = put(folder, `name\n"${odd}"\n`, 'odd.csv');

    const results = [await petstore(ifMissing(odd)), await petstore(ifMissing(odd))];
    const diff = await petstore(['categories', 'diff', file, '--json']);
    const plan = await importText(`name\n"${odd}"\n`, ['--dry-run', '--json']);

    for (const { exitCode, json, stderr } of results) {
      expect([exitCode, json]).toEqual([0, { id: 1, name: escapeHtml(odd) }]);
      expect(stderr).toContain('the service changed the name to');
    }
    expect([diff.exitCode, diff.json]).toEqual([0, []]);
    expect(plan.json).toMatchObject([{ change: 'existing', id: 1 }]);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('is known after a plain create', async ({
    rename,
    petstore,
    importText,
    clock,
    sandbox,
  }) => {
    rename(escapeHtml);
    await petstore(['categories', 'create', 'a & b']);
    await clock.sleep(60 * minute, never);
    await petstore('categories create plain');

    const { exitCode, json } = await importText('name\na & b\nplain\n');

    expect([exitCode, json.counts]).toEqual([0, { existing: 2 }]);
    expect(namesIn(sandbox)).toEqual(['a &amp; b', 'plain']);
  });

  test.for<[what: string, elsewhere: (folder: string) => Record<string, string>]>([
    ['another service', () => ({ PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' })],
    ['another state folder', (folder) => ({ PETSTORE_STATE_DIR: join(folder, 'other') })],
  ])('is not known at %s', async ([, elsewhere], { rename, petstore, folder, sandbox }) => {
    rename((name) => name.toUpperCase().replace('&', 'AND'));
    await petstore(ifMissing('a & b'));

    const { exitCode } = await petstore(ifMissing('a & b'), { env: elsewhere(folder) });

    expect([exitCode, sandbox.categories.length]).toEqual([0, 2]);
  });

  test('is forgotten once the category is lost', async ({ rename, petstore, clock, sandbox }) => {
    rename(escapeHtml);
    await petstore(ifMissing('a & b'));
    await clock.sleep(61 * second, never);
    sandbox.categories.length = 0;
    sandbox.requests.length = 0;

    expect((await petstore(ifMissing('a & b'))).exitCode).toBe(0);
    expect(methods(sandbox)).toBe('GET POST');
  });
});

describe('a name that looks like another one, at a service that trims names', () => {
  test('is refused night after night, and never created', async ({
    rename,
    importText,
    sandbox,
  }) => {
    rename(trim);
    sandbox.categories.push(category('7', 'dog'));
    for (const other of ['line 3', 'which already exists']) {
      const { exitCode, json, events } = await importText('name\n"dog "\nOtter\notter\n');

      expect(exitCode).toBe(7);
      expect(json.items).toMatchObject([
        { outcome: 'refused', message: 'similar to "dog", which already exists' },
        { name: 'Otter' },
        { outcome: 'refused', message: `similar to "Otter", ${other}` },
      ]);
      expect(events().at(-1)).toMatchObject({
        kind: 'partial',
        message: '2 rows refused (2 similar to another name)',
        hint: expect.stringContaining('categories create NAME'),
      });
    }
    expect(creates(sandbox)).toEqual(['Otter']);
  });

  test('is refused after a yes, too, and no part of the question', async ({
    rename,
    importText,
    sandbox,
  }) => {
    rename(trim);
    sandbox.categories.push(category('7', 'dog'));
    const questions: string[] = [];
    const yes = async (question: string) => questions.push(question) > 0;
    const text = 'name\n"dog "\ncat\nCat\n" emu"\n';

    const { exitCode, stderr } = await importText(text, ['-o', 'yaml'], atTerminal(yes));
    const again = await importText(text);

    expect(questions).toEqual(['Create 2 categories on production (http://127.0.0.1:4010/v1)?']);
    expect([exitCode, creates(sandbox).sort()]).toEqual([7, [' emu', 'cat']]);
    expect(stderr).toContain('petstore: 2 to create on production, 2 similar to another name\n');
    expect(stderr.replaceAll('\n  ', ' ')).toContain(
      'line 5 (" emu"): the service changed the name to "emu"',
    );
    expect(again.json).toMatchObject({
      counts: { existing: 2, refused: 2 },
      items: [{}, {}, {}, { as: 'emu' }],
    });
  });
});

describe('a list out of a cache that does not say so', () => {
  const cat = ifMissing('cat');

  test.for([
    ['create --if-missing', cat],
    ['create', ['categories', 'create', 'cat', '--json']],
  ] as const)(
    'of up to a minute makes %s no second one',
    async ([, argv], { cacheFor, petstore, sandbox }) => {
      cacheFor(50 * second);
      await petstore('categories list');
      await petstore(argv);

      const { exitCode, json, stderr } = await petstore(cat);

      expect([exitCode, json]).toEqual([0, { id: 1, name: 'cat' }]);
      expect(stderr).toContain('1 category that petstore knows is missing from the list');
      expect(namesIn(sandbox)).toEqual(['cat']);
    },
  );

  test('makes no row twice that was looked up', async ({ importText, petstore, sandbox }) => {
    sandbox.react = reactTo('cat', cutAfter);
    await importText('name\ncat\n');
    sandbox.reactions.push(reply(200, []));

    const { exitCode, json } = await petstore(cat);

    expect([exitCode, json.id, creates(sandbox)]).toEqual([0, 1, ['cat']]);
  });

  test('of ten minutes ends imports for so long', async ({ cacheFor, importText, sandbox }) => {
    cacheFor(10 * minute);
    const codes: number[] = [];
    const counts: string[] = [];
    while (codes.at(-1) !== 0) {
      const { exitCode, stderr } = await importText(three);
      codes.push(exitCode);
      counts.push(...(stderr.match(/\d+(?= categor\w+ that petstore knows)/g) ?? []));
    }

    expect(codes.slice(0, -1).every((code) => code === 5)).toBe(true);
    expect(new Set(counts)).toEqual(new Set(['3']));
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });

  test.for([
    ['is believed a minute after what it lacks was created', 0, 60 * second],
    ['makes nobody wait once the clock is set back', -60 * minute, 0],
    ['makes nobody wait once the clock is set forward', 60 * minute, 0],
  ] as const)('%s', async ([, setBy, waitMs], { petstore, sandbox, clock }) => {
    await petstore(cat);
    sandbox.categories.length = 0;
    const start = clock.uptime();

    const { exitCode } = await petstore(cat, { context: { now: () => clock.now() + setBy } });

    expect([exitCode, creates(sandbox)]).toEqual([0, ['cat', 'cat']]);
    expect(Math.abs(clock.uptime() - start - waitMs)).toBeLessThan(5 * second);
  });
});

describe('what was created here', () => {
  test('is small, and tells no name and no key', async ({ petstore, folder, clock }) => {
    for (let n = 0; n < 5; n += 1) {
      await petstore(['categories', 'create', n % 2 ? `rabbit ${n}` : `my ${testKey}`]);
      await clock.sleep(minute, never);
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

  test('in the sandbox is deleted with the sandbox, which is one at any port', async ({
    petstore,
    forward,
    folder,
  }) => {
    const authorization = `Bearer ${testKey}`;
    for (const name of ['frog', 'newt']) {
      const { exitCode } = await petstore([...ifMissing(name), '--profile', 'sandbox'], {
        context: {
          send: (request) =>
            forward({ ...request, headers: { ...request.headers, authorization } }),
        },
      });
      expect(exitCode).toBe(0);
    }

    expect(readdirSync(join(folder, 'state')).sort()).toEqual(['limits', 'sandbox', 'turns']);
    expect(readdirSync(join(folder, 'state', 'turns'))).toHaveLength(1);
    expect(ledgerFiles(folder)).toHaveLength(1);
  });

  test('is skipped where it is torn or damaged', async ({ petstore, rename, folder, sandbox }) => {
    sandbox.plan = plans.business;
    rename(escapeHtml);
    for (const name of ['a & b', 'c & d']) await petstore(ifMissing(name));
    const [ledger = ''] = ledgerFiles(folder).filter((path) => path.endsWith('kept'));
    expect(ledgerFiles(folder), 'what was created is kept').toContain(ledger);
    const bytes = readFileSync(ledger);
    const lastLine = bytes.lastIndexOf('\n');
    for (let at = 0; at < lastLine; at += 13) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8((damaged.readUInt8(at) + 1) % 256, at);
      writeFileSync(ledger, damaged);

      const { exitCode, json } = await petstore(ifMissing('c & d'));

      expect([exitCode, json.id], `byte ${at}`).toEqual([0, 2]);
    }
    for (let length = lastLine; length < bytes.length; length += 17) {
      writeFileSync(ledger, bytes.subarray(0, length));
      await petstore(['categories', 'create', `e & ${length}`]);

      const { exitCode } = await petstore(ifMissing(`e & ${length}`));

      expect([exitCode, creates(sandbox).length]).toEqual([0, sandbox.categories.length]);
    }
  });

  test('for minutes makes nobody wait', async ({ importText, petstore, sandbox, clock }) => {
    sandbox.plan = plans.business;
    sandbox.react = ({ method }) =>
      method === 'POST' ? respondAfter(clock, 20 * second) : undefined;
    const before = clock.uptime();
    const first = await importText(pets(60));
    const start = clock.uptime();

    const next = await petstore(ifMissing('pet 7'));

    expect([first.exitCode, next.exitCode]).toEqual([0, 0]);
    expect(start - before).toBeGreaterThan(2 * minute);
    expect(clock.uptime() - start).toBeLessThan(2 * second);
  });

  test('and is deleted while an import waits for the limit ends it', async ({
    importText,
    folder,
    clock,
    sandbox,
  }) => {
    const ledger = join(folder, 'state', 'ledger');
    void clock.sleep(30 * second, never).then(() => rmSync(ledger, { recursive: true }));

    const { exitCode, stderr } = await importText(pets(100));

    expect(exitCode, stderr).toBe(74);
    expect(sandbox.categories).toHaveLength(60);
  });

  test('need not be saved for a create', async ({ petstore, folder, sandbox }) => {
    await petstore('categories list');
    const ledger = join(folder, 'state', 'ledger');
    rmSync(ledger, { recursive: true, force: true });
    writeFileSync(ledger, 'a file where a folder belongs');

    const { exitCode, json } = await petstore('categories create cat --json');

    expect([exitCode, json.name]).toEqual([0, 'cat']);
    expect(namesIn(sandbox)).toEqual(['cat']);
  });
});
