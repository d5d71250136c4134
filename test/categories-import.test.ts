import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { openAppendFile } from '../src/append-file.ts';
import type { Send, WireAnswer, WireRequest } from '../src/context.ts';
import { Interruption } from '../src/errors.ts';
import { ExactNumber } from '../src/json/exact.ts';
import type { Clock } from './clock.ts';
import { expect, networkError, type Reaction, reply, test, testKey } from './petstore.ts';

const three = 'name,description\ndog,Barks\ncat,\nemu,Runs\n';
const apply = ['--yes', '--json'];

/** Writes the file to be imported, and returns its path. */
function put(folder: string, text: string, name = 'pets.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function journals(folder: string): string[] {
  const imports = join(folder, 'state', 'imports');
  const names = readdirSync(imports).filter((name) => name.endsWith('.journal'));
  return names.map((name) => join(imports, name));
}

const countsOf = (stdout: string) => JSON.parse(stdout).counts;

/** A service that takes any key for its own. */
function withTestKey(forward: Send): Send {
  const authorization = `Bearer ${testKey}`;
  return (request) => forward({ ...request, headers: { ...request.headers, authorization } });
}

describe('categories import', () => {
  test('creates each row once and looks at the list before and after', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({
      file: join(folder, 'pets.csv'),
      rows: 3,
      counts: { created: 3 },
      copies: [],
      items: [
        { line: 2, name: 'dog', outcome: 'created', id: 1 },
        { line: 3, name: 'cat', outcome: 'created', id: 2 },
        { line: 4, name: 'emu', outcome: 'created', id: 3 },
      ],
    });
    expect(sandbox.categories.map(({ name, description }) => [name, description])).toEqual([
      ['dog', 'Barks'],
      ['cat', undefined],
      ['emu', 'Runs'],
    ]);
    expect(sandbox.requests.map(({ method }) => method)).toEqual([
      'GET',
      'POST',
      'POST',
      'POST',
      'GET',
    ]);
  });

  test('prints the counts as a table, and the plan on stderr', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push({ id: new ExactNumber('7'), name: 'dog', description: 'Bites' });
    const result = await petstore(['categories', 'import', put(folder, `${three}cat,\n`), '--yes']);

    expect(result.stdout).toBe(
      [
        '┌────────────────────────────────┬───────┐',
        '│ rows                           │ count │',
        '├────────────────────────────────┼───────┤',
        '│ created                        │ 2     │',
        '│ there with another description │ 1     │',
        '│ twice in the file              │ 1     │',
        '└────────────────────────────────┴───────┘',
        '',
      ].join('\n'),
    );
    expect(result.stderr).toContain(
      'petstore: 2 to create, 1 there with another description, 1 twice in the file\n',
    );
  });

  test('does nothing the second time, at the price of one list', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    await petstore(['categories', 'import', path, ...apply]);
    sandbox.requests.length = 0;

    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(again.exitCode).toBe(0);
    expect(countsOf(again.stdout)).toEqual({ created_before: 3 });
    expect(again.events()[0]).toEqual({
      event: 'notice',
      message: 'this import was begun at 2026-11-20T15:04:00Z and is finished: 3 rows are created',
    });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('creates nothing again when the journal is gone', async ({ petstore, sandbox, folder }) => {
    const path = put(folder, three);
    await petstore(['categories', 'import', path, ...apply]);
    const state = join(folder, 'other-state');

    const again = await petstore(['categories', 'import', path, ...apply], {
      env: { PETSTORE_STATE_DIR: state },
    });

    expect(countsOf(again.stdout)).toEqual({ existing: 3 });
    expect(sandbox.categories).toHaveLength(3);
  });

  test('creates anew what was removed since', async ({ petstore, sandbox, folder }) => {
    const path = put(folder, three);
    await petstore(['categories', 'import', path, ...apply]);
    sandbox.categories.shift();

    const plan = await petstore(['categories', 'import', path, '--dry-run', '--json']);
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(countsOf(plan.stdout)).toEqual({ create: 1, created_before: 2 });
    expect(countsOf(again.stdout)).toEqual({ created: 1, created_before: 2 });
    expect(again.events()).toContainEqual({
      event: 'notice',
      message: '1 categories that this import had created are not there any more',
    });
    expect(sandbox.categories).toHaveLength(3);
  });

  test('takes another account, where the same ids are others, for what it is', async ({
    petstore,
    sandbox,
    folder,
    forward,
  }) => {
    const path = put(folder, three);
    sandbox.react = reactTo('emu', reply(401, ''));
    await petstore(['categories', 'import', path, ...apply]);
    sandbox.categories.length = 0;
    for (const id of ['1', '2', '3']) {
      sandbox.categories.push({ id: new ExactNumber(id), name: `other ${id}` });
    }
    const again = await petstore(['categories', 'import', path, ...apply], {
      env: { PETSTORE_API_KEY: 'another-key-0123456789' },
      context: { send: withTestKey(forward) },
    });

    expect(countsOf(again.stdout)).toEqual({ created: 3 });
    expect(sandbox.categories).toHaveLength(6);
  });

  test('prints one line a row as NDJSON', async ({ petstore, folder }) => {
    const argv = ['categories', 'import', put(folder, three), '--yes', '-o', 'ndjson'];

    const { stdout } = await petstore(argv);

    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: 2, name: 'dog', outcome: 'created', id: 1 },
      { line: 3, name: 'cat', outcome: 'created', id: 2 },
      { line: 4, name: 'emu', outcome: 'created', id: 3 },
    ]);
  });

  test('says that the rows are created when that cannot be printed', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const full = { isTTY: false, columns: undefined, stream: undefined };
    const stdout = { ...full, write: () => Promise.reject(networkError('ENOSPC')) };

    const result = await petstore(['categories', 'import', put(folder, three), '--yes'], {
      context: { stdout },
    });

    expect(result.exitCode).toBe(74);
    expect(result.stderr).toContain('The import is done: 3 rows were created.\n');
    expect(sandbox.categories).toHaveLength(3);
  });

  test('with --allow-duplicates creates every row, once', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push({ id: new ExactNumber('7'), name: 'dog', description: 'Barks' });
    sandbox.lastId = 7n;
    const path = put(folder, 'name,description\ndog,Barks\ndog,Barks\n');

    const result = await petstore(['categories', 'import', path, '--allow-duplicates', ...apply]);
    const again = await petstore(['categories', 'import', path, '--allow-duplicates', ...apply]);

    expect(countsOf(result.stdout)).toEqual({ created: 2 });
    expect(countsOf(again.stdout)).toEqual({ created_before: 2 });
    expect(sandbox.categories.map(({ id }) => id.text)).toEqual(['7', '8', '9']);
  });

  test('goes on by the same command under another name of the file', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    await petstore(['categories', 'import', put(folder, three), '--allow-duplicates', ...apply]);

    const moved = put(folder, three, 'moved.csv');
    await petstore(['categories', 'import', moved, '--allow-duplicates', ...apply]);

    expect(sandbox.categories).toHaveLength(3);
  });

  test('reads standard input', async ({ petstore, sandbox }) => {
    const argv = ['categories', 'import', '-', '--format', 'ndjson', ...apply];

    const result = await petstore(argv, { stdin: '{"name":"dog"}\n{"name":"cat"}\n' });

    expect(JSON.parse(result.stdout)).toMatchObject({ file: 'standard input', rows: 2 });
    expect(sandbox.categories).toHaveLength(2);
  });
});

describe('the input of an import', () => {
  test.for([
    { what: 'a file that is not there', argv: ['nope.csv'], says: 'there is no file nope.csv' },
    {
      what: 'standard input that is to hold the key as well',
      argv: ['-', '--format', 'csv', '--api-key-file', '-'],
      says: 'standard input cannot hold both',
    },
    {
      what: 'a settle time without an end',
      argv: ['pets.csv', '--settle', 'inf'],
      says: '--settle needs an end',
    },
    {
      what: 'a settle time that is none',
      argv: ['pets.csv', '--settle', 'soon'],
      says: '--settle is "soon"',
    },
    {
      what: 'another format',
      argv: ['pets.csv', '--format', 'xml'],
      says: 'Allowed choices are csv, json, ndjson',
    },
    { what: 'no file', argv: [], says: "missing required argument 'file'" },
  ])('is refused for $what, and nothing is sent', async ({ argv, says }, { petstore, sandbox }) => {
    const result = await petstore(['categories', 'import', ...argv, '--yes']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr).toContain('Nothing was sent.');
    expect(sandbox.requests).toHaveLength(0);
  });

  test('has all its faults told before anything is sent', async ({ petstore, sandbox, folder }) => {
    const path = put(folder, 'name,description\ndog,Barks\n,x\ncat\n');

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.events()).toMatchObject([
      {
        event: 'error',
        kind: 'usage',
        faults: [
          `${path}:3:1: field "name" is blank`,
          `${path}:4:1: 1 field where the header has 2`,
        ],
        outcome: 'not_sent',
        exitCode: 2,
      },
    ]);
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('the plan of an import', () => {
  test('is the result of --dry-run, which spends one request and leaves no trace', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push({ id: new ExactNumber('9007199254740993'), name: 'DOG' });
    const path = put(folder, three);

    const result = await petstore(['categories', 'import', path, '--dry-run', '--json']);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({
      file: path,
      rows: 3,
      counts: { create: 3 },
      requests: 5,
      forecast: { plan: null, todayMs: 0, moreDays: null },
      items: [
        { line: 2, name: 'dog', intention: 'create', looksLike: 'DOG' },
        { line: 3, name: 'cat', intention: 'create' },
        { line: 4, name: 'emu', intention: 'create' },
      ],
    });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(readdirSync(join(folder, 'state'))).toEqual(['limits']);
  });

  test('tells how many days it takes on the plan of the settings', async ({ petstore, folder }) => {
    await petstore(['config', 'set', 'plan', 'free']);
    const rows = Array.from({ length: 2_437 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));

    const { stderr } = await petstore(['categories', 'import', path, '--dry-run']);

    expect(stderr).toContain('petstore: 2,437 to create\n');
    expect(stderr).toContain('2,439 requests: about 16m today and 2 more days on Free\n');
  });

  test.for([
    { plan: 'pro', words: 'about 9m on Pro' },
    { plan: '30/min,100/day', words: 'about 4m today and 24 more days on 30/min,100/day' },
  ])('is forecast on $plan', async ({ plan, words }, { petstore, sandbox, folder }) => {
    await petstore(['config', 'set', 'plan', plan]);
    sandbox.plan = { minute: { limit: 1, length: 1 }, day: { limit: 9, length: 1 } };
    const rows = Array.from({ length: 2_437 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));

    const { stderr } = await petstore(['categories', 'import', path, '--dry-run']);

    expect(stderr).toContain(words);
  });

  const terminal = {
    columns: 100,
    context: { stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
  };
  test.for([
    { what: 'nobody can be asked', flags: [], options: {} },
    { what: 'a question would stand among lines of JSON', flags: ['--json'], options: terminal },
    { what: 'the plan would not be shown', flags: ['--quiet'], options: terminal },
  ])(
    'needs --yes where $what, and sends nothing without it',
    async ({ flags, options }, { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags];
      const result = await petstore(argv, options);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('Add --yes');
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test.for([
    { agreed: true, exitCode: 0, created: 3 },
    { agreed: false, exitCode: 130, created: 0 },
  ])(
    'is asked about on a terminal: $agreed',
    async ({ agreed, exitCode, created }, { petstore, sandbox, folder }) => {
      const asked: string[] = [];
      const confirm = async (question: string) => {
        asked.push(question);
        return agreed;
      };

      const result = await petstore(['categories', 'import', put(folder, three)], {
        columns: 100,
        context: { confirm, stdin: Object.assign(Readable.from(['']), { isTTY: true }) },
      });

      expect(asked).toEqual(['Create 3 categories at http://127.0.0.1:4010/v1?']);
      expect(result.exitCode).toBe(exitCode);
      expect(sandbox.categories).toHaveLength(created);
    },
  );
});

/** Reacts to the creation of one category, a number of times. */
function reactTo(
  name: string,
  reaction: Reaction,
  times = 1,
): (request: WireRequest) => Reaction | undefined {
  let left = times;
  return ({ method, body = '' }) => {
    if (method !== 'POST' || JSON.parse(body).name !== name || left === 0) return undefined;
    left -= 1;
    return reaction instanceof Response ? reaction.clone() : reaction;
  };
}

const cutBefore: Reaction = async (request) => {
  request.onSent();
  throw networkError('ECONNRESET');
};
const cutAfter = async (_request: WireRequest, forward: () => Promise<WireAnswer>) => {
  for await (const _ of (await forward()).body);
  throw networkError('ECONNRESET');
};

/** Cuts the answer, and five seconds later somebody presses Ctrl-C. */
const thenInterrupt =
  (interrupted: AbortController, clock: Clock): Reaction =>
  (request, forward) => {
    const end = () => interrupted.abort(new Interruption(130));
    void clock.sleep(5_000, interrupted.signal).then(end);
    return cutAfter(request, forward);
  };

describe('an import that meets trouble', () => {
  test.for([
    { what: 'was created', reaction: cutAfter, created: 1, absent: 0, posts: 3 },
    { what: 'was not', reaction: cutBefore, created: 0, absent: 1, posts: 4 },
  ])(
    'looks after 60 s whether it $what, and sends again what was not',
    async ({ reaction, created, absent, posts }, { petstore, sandbox, folder, clock }) => {
      const start = clock.now();
      sandbox.react = reactTo('cat', reaction);

      const result = await petstore(['categories', 'import', put(folder, three), '--yes']);

      expect(result.exitCode).toBe(0);
      expect(result.stderr).toContain(
        'petstore: line 3 ("cat"): 127.0.0.1:4010 broke the connection off. It may or may not have been created. Not sent again; checking in 60 s or later\n',
      );
      expect(result.stderr).toContain(
        `petstore: checked: ${created} had been created, ${absent} had not and can be sent again\n`,
      );
      expect(sandbox.categories.map(({ name }) => name).sort()).toEqual(['cat', 'dog', 'emu']);
      expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(posts);
      expect(clock.now() - start).toBeGreaterThanOrEqual(60_000);
    },
  );

  test('never sends again what is there under a similar name', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = reactTo('cat', async (request) => {
      request.onSent();
      sandbox.categories.push({ id: new ExactNumber('99'), name: 'CAT' });
      throw networkError('ECONNRESET');
    });
    const path = put(folder, three);

    const result = await petstore(['categories', 'import', path, ...apply]);
    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(countsOf(result.stdout)).toEqual({ created: 2, unknown: 1 });
    expect(countsOf(again.stdout)).toEqual({ created_before: 2, unknown: 1 });
    for (const { exitCode, events } of [result, again]) {
      expect(exitCode).toBe(6);
      expect(events()).toContainEqual({
        event: 'notice',
        message: 'line 3 ("cat"): possibly created as "CAT" (id 99); it is not sent again',
      });
      expect(events().at(-1)).toMatchObject({
        kind: 'outcome_unknown',
        outcome: 'unknown',
        hint: expect.stringContaining('Look at the similar ones that are named above.'),
      });
    }
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  test('stops after three unknown outcomes in a row, when it has looked them up', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 50 }, (_, n) => `pet ${n}`);
    sandbox.react = ({ method }) => (method === 'POST' ? cutBefore : undefined);

    const result = await petstore([
      'categories',
      'import',
      put(folder, ['name', ...rows].join('\n')),
      ...apply,
    ]);

    expect(result.exitCode).toBe(7);
    expect(countsOf(result.stdout)).toEqual({ left: 50 });
    expect(result.events().at(-1)).toMatchObject({
      kind: 'partial',
      message: '50 rows are left: three outcomes in a row were unknown',
      hint: 'Run the same command again: it goes on from here.',
    });
    const posts = sandbox.requests.filter(({ method }) => method === 'POST');
    expect(posts.length).toBeLessThanOrEqual(8);
  });

  test('goes on without the rows that the service refuses, exit 7', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const refusal = reply(422, { code: 'no_cats', message: 'no cats', status: 422 });
    sandbox.react = reactTo('cat', refusal);
    const path = put(folder, three);

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(7);
    expect(JSON.parse(result.stdout)).toMatchObject({
      counts: { created: 2, refused: 1 },
      items: [
        {},
        { line: 3, outcome: 'refused', status: 422, code: 'no_cats', message: 'no cats' },
        {},
      ],
    });
    expect(result.events().at(-1)).toMatchObject({ kind: 'partial', message: '1 row is refused' });

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(countsOf(again.stdout)).toEqual({ created: 1, created_before: 2 });
  });

  test.for([
    {
      what: 'a key that is refused',
      reaction: reply(401, { code: 'x', message: 'no', status: 401 }),
      says: 'the key was refused',
    },
    { what: 'a redirect', reaction: reply(307, '', { location: '/v2' }), says: 'has moved' },
    {
      what: 'a name that cannot be found any more',
      reaction: networkError('ENOTFOUND'),
      says: 'cannot find the host',
    },
  ])(
    'stops at $what, exit 7, and goes on later',
    async ({ reaction, says }, { petstore, sandbox, folder }) => {
      const rows = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
      const path = put(folder, ['name', ...rows].join('\n'));
      sandbox.react = reactTo('pet 9', reaction, 9);

      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result.exitCode).toBe(7);
      expect(result.events().at(-1)).toMatchObject({ kind: 'partial', exitCode: 7 });
      expect(String(result.events().at(-1)?.message)).toContain(says);

      sandbox.react = () => undefined;
      const again = await petstore(['categories', 'import', path, ...apply]);
      expect(again.exitCode).toBe(0);
      expect(new Set(sandbox.categories.map(({ name }) => name)).size).toBe(30);
      expect(sandbox.categories).toHaveLength(30);
    },
  );

  test('ends with the day, exit 75, and goes on the next one', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.plan = { minute: { limit: 60, length: 60_000 }, day: { limit: 100, length: 600_000 } };
    const rows = Array.from({ length: 150 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(75);
    expect(countsOf(result.stdout)).toEqual({ created: 99, left: 51 });
    expect(result.events().at(-1)).toMatchObject({
      kind: 'rate_limited',
      message: '51 rows are left: the limit of 100 requests a day is used up',
      hint: 'Run the same command again at 2026-11-20T15:14:01Z: it goes on from here.',
      resetAt: '2026-11-20T15:14:01Z',
    });

    await clock.sleep(601_000, new AbortController().signal);
    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(150);
    expect(
      sandbox.requests.map(({ method }) => method).filter((method) => method === 'GET'),
    ).toHaveLength(3);
  });

  test('goes on over days by itself with --max-wait inf', async ({ petstore, sandbox, folder }) => {
    sandbox.plan = { minute: { limit: 60, length: 60_000 }, day: { limit: 100, length: 600_000 } };
    const rows = Array.from({ length: 150 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));

    const result = await petstore(['categories', 'import', path, '--max-wait', 'inf', ...apply]);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(150);
  });

  test.for([
    { what: 'the list fails', reaction: reply(503, ''), exitCode: 6, kind: 'outcome_unknown' },
    { what: 'the key is refused', reaction: reply(401, ''), exitCode: 6, kind: 'outcome_unknown' },
  ])(
    'still tells of unknown outcomes when $what at the beginning of the next run',
    async ({ reaction, exitCode, kind }, { petstore, sandbox, folder }) => {
      const path = put(folder, three);
      sandbox.react = ({ method, body = '' }) => {
        if (method === 'GET') return sandbox.categories.length > 0 ? reaction.clone() : undefined;
        return JSON.parse(body).name === 'cat' ? cutBefore : undefined;
      };
      await petstore(['categories', 'import', path, ...apply]);

      const result = await petstore(['categories', 'import', path, ...apply]);

      expect(result).toMatchObject({ exitCode, stdout: '' });
      expect(result.events().at(-1)).toMatchObject({
        kind,
        outcome: 'unknown',
        hint: 'Run the same command again: it goes on from here and checks the unknown ones first.',
      });
    },
  );

  test('ends at once when it is interrupted, exit 130, and goes on later', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const interrupted = new AbortController();
    const path = put(folder, three);
    sandbox.react = reactTo('cat', async (_request, forward) => {
      interrupted.abort(new Interruption(130));
      return forward();
    });

    const result = await petstore(['categories', 'import', path, ...apply], {
      signal: interrupted.signal,
    });
    expect(result.exitCode).toBe(130);
    expect(result.events().at(-1)).toMatchObject({ kind: 'interrupted', exitCode: 130 });

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(3);
  });

  test('stops before the next request when the disk is full, exit 74, and nothing is lost', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));
    let writes = 0;
    const failing = (file: string) => ({
      ...openAppendFile(file),
      append: async () => {
        throw networkError('ENOSPC');
      },
    });
    const full = (file: string) => {
      const real = openAppendFile(file);
      return {
        ...real,
        append: (bytes: Uint8Array) => {
          writes += 1;
          return writes > 3 ? failing(file).append() : real.append(bytes);
        },
      };
    };

    const result = await petstore(['categories', 'import', path, ...apply], {
      context: { openAppendFile: full },
    });

    expect(result.exitCode).toBe(74);
    expect(result.events().at(-1)).toMatchObject({ kind: 'output' });
    const sent = sandbox.categories.length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(30);

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(30);
  });

  test('does not begin without a journal, exit 74', async ({ petstore, sandbox, folder }) => {
    writeFileSync(join(folder, 'state'), 'a file where a folder belongs');

    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result).toMatchObject({ exitCode: 74, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  test('refuses a file that changed while its import was not finished, and tells both states', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    sandbox.react = reactTo('emu', reply(401, ''), 9);
    await petstore(['categories', 'import', path, ...apply]);
    sandbox.requests.length = 0;
    put(folder, `${three}fox,\n`);

    const result = await petstore(['categories', 'import', path, '--yes']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(
      /the file has changed since its import was begun at 2026-11-20T15:04:00Z \(sha256 was [0-9a-f]{12}…, is [0-9a-f]{12}…\): 2 of 3 rows had been created\nNothing was sent.\nFinish that one/,
    );
    expect(result.stderr).toContain(`rm '${journals(folder)[0]}'`);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('is refused while another process imports the same file, who is named', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const path = put(folder, three);
    let rival: Awaited<ReturnType<typeof petstore>> | undefined;
    sandbox.react = reactTo('cat', async (_request, forward) => {
      const release = clock.hold();
      rival = await petstore(['categories', 'import', path, '--yes']);
      release();
      return forward();
    });

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(0);
    expect(rival).toMatchObject({ exitCode: 74, stdout: '' });
    expect(rival?.stderr).toContain('process 4242 on here is importing this file since 2026-11-20');
    expect(sandbox.categories).toHaveLength(3);
  });

  test('ends the wait for a look when it is interrupted, and tells what is unknown', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const interrupted = new AbortController();
    sandbox.react = reactTo('cat', thenInterrupt(interrupted, clock));

    const result = await petstore(['categories', 'import', put(folder, three), ...apply], {
      signal: interrupted.signal,
    });

    expect(result.exitCode).toBe(130);
    expect(countsOf(result.stdout)).toEqual({ created: 2, unknown: 1 });
    expect(result.events().at(-1)).toEqual({
      event: 'error',
      kind: 'interrupted',
      message: 'interrupted',
      hint: 'Run the same command again: it goes on from here and checks the unknown ones first.',
      outcome: 'unknown',
      exitCode: 130,
    });
  });

  test('does not look for rows of unknown outcome with another key', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const path = put(folder, 'name\ndog\n');
    const interrupted = new AbortController();
    sandbox.react = reactTo('dog', thenInterrupt(interrupted, clock));
    await petstore(['categories', 'import', path, ...apply], { signal: interrupted.signal });
    sandbox.requests.length = 0;

    const result = await petstore(['categories', 'import', path, '--yes'], {
      env: { PETSTORE_API_KEY: 'another-key-0123456789' },
    });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('this import was begun with another key');
    expect(sandbox.requests).toHaveLength(0);

    const again = await petstore(['categories', 'import', path, ...apply]);
    expect(countsOf(again.stdout)).toEqual({ created_before: 1 });
    expect(sandbox.categories).toHaveLength(1);
  });

  test('writes no key into the journal, not even one that a refusal repeats', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(422, { code: testKey, message: `not for ${testKey}` }) : undefined;

    await petstore(['categories', 'import', put(folder, three), ...apply]);

    const [journal = ''] = journals(folder);
    expect(readFileSync(journal, 'utf8')).toContain('"message":"not for [key]"');
    expect(readFileSync(journal, 'utf8')).not.toContain(testKey);
  });

  test('writes no key into the journal, not even as the name that the service made of one', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(201, { id: 7, name: `my ${testKey}`, tags: [testKey] }) : undefined;

    await petstore(['categories', 'import', put(folder, three), ...apply]);

    const [journal = ''] = journals(folder);
    expect(readFileSync(journal, 'utf8')).toContain('"as":"my [key]"');
    expect(readFileSync(journal, 'utf8')).not.toContain(testKey);
  });

  test('writes no key into the journal', async ({ petstore, folder }) => {
    await petstore(['categories', 'import', put(folder, three), ...apply]);

    const [journal = ''] = journals(folder);
    expect(readFileSync(journal, 'utf8')).not.toContain(testKey);
  });

  test('does not believe a list that lacks what was created', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    sandbox.react = ({ method }) =>
      method === 'GET' && sandbox.categories.length > 0 ? reply(200, []) : undefined;

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(5);
    expect(countsOf(result.stdout)).toEqual({ created: 3 });
    expect(result.events().at(-1)).toMatchObject({
      kind: 'service',
      message:
        'the list lacks the category of line 2 ("dog") and of 2 more, which this import created',
    });
  });

  test.for([{ when: 'before its end' }, { when: 'after it, in the next run' }])(
    'names a copy that came $when',
    async ({ when }, { petstore, sandbox, folder }) => {
      const path = put(folder, three);
      const copy = () => sandbox.categories.push({ id: new ExactNumber('99'), name: 'cat' });
      sandbox.react = reactTo('emu', (_request, forward) => {
        if (when === 'before its end') copy();
        return forward();
      });

      const first = await petstore(['categories', 'import', path, ...apply]);
      if (when !== 'before its end') copy();
      const next = await petstore(['categories', 'import', path, ...apply]);

      const telling = when === 'before its end' ? first : next;
      expect(telling.exitCode).toBe(0);
      expect(JSON.parse(telling.stdout).copies).toEqual([{ id: 99, name: 'cat' }]);
      expect(telling.events()).toContainEqual({
        event: 'notice',
        message: expect.stringContaining('"cat" is there with the id 99 as well'),
      });
    },
  );

  test('tries first what was never tried, so that rows which fail keep none from it', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 30 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));
    sandbox.react = ({ body = '{}' }) =>
      ['pet 0', 'pet 1', 'pet 2'].includes(JSON.parse(body).name) ? reply(500, '') : undefined;

    const first = await petstore(['categories', 'import', path, ...apply]);
    const second = await petstore(['categories', 'import', path, ...apply]);

    expect(first.exitCode).toBe(7);
    expect(second.exitCode).toBe(7);
    expect(sandbox.categories).toHaveLength(27);
  });

  test('holds back what may stand for a row of unknown outcome', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, `name\n${'dog\n'.repeat(30)}cat\n`);
    sandbox.react = reactTo('dog', cutAfter);

    const result = await petstore(['categories', 'import', path, '--allow-duplicates', ...apply]);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(31);
    // Those that were on their way with it went on; the others waited for the look.
    const before = sandbox.requests.findIndex(({ method }, n) => n > 0 && method === 'GET');
    const dogs = sandbox.requests.slice(0, before).filter(({ body = '' }) => body.includes('dog'));
    expect(dogs.length).toBeLessThanOrEqual(8);
  });

  test('looks things up when forty outcomes are unknown, and goes on', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows = Array.from({ length: 100 }, (_, n) => `pet ${n}`);
    const path = put(folder, ['name', ...rows].join('\n'));
    sandbox.plan = { minute: { limit: 1_000, length: 60_000 }, day: { limit: 9_999, length: 9e6 } };
    let posts = 0;
    sandbox.react = ({ method }) => {
      if (method === 'POST') posts += 1;
      return method === 'POST' && posts % 2 === 0 ? cutAfter : undefined;
    };

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(100);
    const first = sandbox.requests.findIndex(({ method }, n) => n > 0 && method === 'GET');
    expect(first).toBeGreaterThan(70);
    expect(first).toBeLessThan(100);
  });

  test('leaves a row open when something nobody foresaw happens to its request', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, 'name\ndog\n');
    const answerOfNoKind = { status: 201, headers: undefined, body: undefined };
    sandbox.react = reactTo('dog', async (_request, forward) => {
      for await (const _ of (await forward()).body);
      return answerOfNoKind as unknown as WireAnswer;
    });
    await petstore(['categories', 'import', path, ...apply]);

    const again = await petstore(['categories', 'import', path, ...apply]);

    expect(again.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('looks up what is open after the network was gone', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const path = put(folder, three);
    const gone = [...Array(4)].map(() => networkError('ENOTFOUND'));
    sandbox.react = (request) => {
      if (request.method === 'GET') return undefined;
      return reactTo('cat', cutAfter)(request) ?? gone.pop();
    };

    const result = await petstore(['categories', 'import', path, ...apply]);

    expect(result.exitCode).toBe(7);
    expect(countsOf(result.stdout)).toMatchObject({ created: 1 });
    expect(sandbox.requests.at(-1)?.method).toBe('GET');
  });

  test('does not begin the same rows with the other meaning before it is done', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = reactTo('emu', reply(401, ''));
    await petstore(['categories', 'import', put(folder, three), ...apply]);
    const moved = put(folder, three, 'moved.csv');

    const result = await petstore(['categories', 'import', moved, '--allow-duplicates', '--yes']);

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('an import of this file without --allow-duplicates was begun');
  });

  test('leaves no journal of what was not begun', async ({ petstore, sandbox, folder }) => {
    for (const name of ['dog', 'cat', 'emu']) {
      sandbox.categories.push({ id: new ExactNumber(String(sandbox.categories.length + 1)), name });
    }

    await petstore(['categories', 'import', put(folder, 'name\ndog\ncat\nemu\n'), ...apply]);

    expect(journals(folder)).toEqual([]);
  });

  test('says in JSON who refused it, and still what is left', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.react = reactTo('emu', reply(401, { code: 'gone', message: 'no', status: 401 }));

    const result = await petstore(['categories', 'import', put(folder, three), ...apply]);

    expect(result.events().at(-1)).toMatchObject({
      kind: 'partial',
      message: expect.stringMatching(/^1 row is left: the key was refused/),
      code: 'gone',
      status: 401,
    });
  });
});
