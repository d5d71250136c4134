import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { claim } from '../../../../src/disk/claim.ts';
import { claimPath, readEnds } from '../../../../src/import/journal-files.ts';
import type { Header } from '../../../../src/import/records.ts';
import { ExactNumber } from '../../../../src/json/json.ts';
import { apply, countsOf, put, reactTo, three } from '../../../support/import-cases.ts';
import { expect, reply, test } from '../../../support/petstore.ts';

const week = 7 * 86_400_000;

/** The journals by the ends of their names. */
function putAside(folder: string, ending: string): string[] {
  const imports = join(folder, 'state', 'imports');
  const names = readdirSync(imports).filter((name) => name.endsWith(ending));
  return names.map((name) => join(imports, name));
}

const journals = (folder: string) => putAside(folder, '.journal');

/** A file that changes each night. */
const night = (n: number) => `name\npet ${n}\n`;

async function* bodyOf(text: string) {
  yield Buffer.from(text);
}

describe('the journal of a finished import', () => {
  test('is recognised by its last line: an import of the changed file does not read the rest', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const argv = ['categories', 'import', put(folder, three), '--allow-duplicates', ...apply];
    await petstore(argv);
    const [journal = ''] = journals(folder);
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"row":1', '"row":7'));
    put(folder, night(1));

    const result = await petstore(argv);

    expect(result.exitCode, result.stderr).toBe(0);
    expect(sandbox.categories).toHaveLength(4);
  });

  test('is put aside, and no later import of another file opens it', async ({
    petstore,
    folder,
  }) => {
    const argv = ['categories', 'import', put(folder, night(1)), ...apply];
    await petstore(argv);
    put(folder, night(2));
    await petstore(argv);
    const [old = ''] = putAside(folder, '.expiring');
    expect(journals(folder)).toHaveLength(1);
    rmSync(old);
    mkdirSync(old);
    put(folder, night(3));

    const result = await petstore(argv);

    expect(result.exitCode, result.stderr).toBe(0);
    expect(putAside(folder, '.expiring')).toHaveLength(2);
  });

  test.for([
    { flags: [], counts: { created_before: 3 } },
    { flags: ['--allow-duplicates'], counts: { created_before: 3 } },
  ])(
    'is found again by the same import, $flags',
    async ({ flags, counts }, { petstore, sandbox, folder }) => {
      const argv = ['categories', 'import', put(folder, three), ...flags, ...apply];
      await petstore(argv);
      await petstore(['categories', 'import', put(folder, night(1), 'other.csv'), ...apply]);
      expect(journals(folder)).toHaveLength(1);

      const shown = await petstore([...argv.slice(0, 3), ...flags, '--dry-run', '--json']);
      const again = await petstore(argv);

      expect(JSON.parse(shown.stdout).counts).toEqual(counts);
      expect(countsOf(again.stdout)).toEqual(counts);
      expect(sandbox.categories).toHaveLength(4);
    },
  );

  test('that goes on keeps others from the changed file, as if it had never been put aside', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const argv = ['categories', 'import', put(folder, three), ...apply];
    await petstore(argv);
    await petstore(['categories', 'import', put(folder, night(1), 'other.csv'), ...apply]);
    sandbox.categories.splice(0, 1);
    sandbox.react = reactTo('dog', reply(401, ''));
    const broken = await petstore(argv);
    put(folder, `${three}fox,\n`);

    const result = await petstore(argv);

    expect(broken.exitCode).toBe(7);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('the file has changed since its import was started');
  });

  test('stays while another process works on the same import', async ({ petstore, folder }) => {
    await petstore(['categories', 'import', put(folder, three), ...apply]);
    const [journal = ''] = journals(folder);
    const header = readEnds(journal)?.header as Header;
    const other = { owner: { pid: 4243, host: 'here' }, isRunning: () => true, now: () => 0 };
    claim(other, claimPath(join(folder, 'state', 'imports'), header));

    await petstore(['categories', 'import', put(folder, night(1), 'other.csv'), ...apply]);

    expect(journals(folder)).toContain(journal);
  });

  test('is removed after a week where the list tells the same', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.react = reactTo('pet 2', async (request) => {
      request.onSent();
      sandbox.categories.push({ id: new ExactNumber('77'), name: 'pet no. 2' });
      return { status: 201, headers: {}, body: bodyOf('{"id":77,"name":"pet no. 2"}') };
    });
    const run = async (n: number, ...flags: string[]) =>
      petstore(['categories', 'import', put(folder, night(n)), ...flags, ...apply]);
    await run(1);
    sandbox.categories.push({
      ...sandbox.categories[0],
      name: 'pet no. 2',
    } as (typeof sandbox.categories)[0]);
    await run(2);
    await run(3, '--allow-duplicates');
    await run(4);
    for (const ending of ['.expiring', '.finished']) {
      for (const path of putAside(folder, ending)) {
        const then = new Date(clock.now() - week - 1_000);
        utimesSync(path, then, then);
      }
    }
    await run(5);

    expect(putAside(folder, '.finished')).toHaveLength(2);
    expect(putAside(folder, '.expiring')).toHaveLength(1);
  });

  test('counts where a power cut left it under both names', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const argv = ['categories', 'import', put(folder, three), '--allow-duplicates', ...apply];
    await petstore(argv);
    const [journal = ''] = journals(folder);
    const text = readFileSync(journal, 'utf8');
    await petstore(['categories', 'import', put(folder, night(1), 'other.csv'), ...apply]);
    writeFileSync(journal, text);

    const again = await petstore(argv);

    expect(countsOf(again.stdout)).toEqual({ created_before: 3 });
    expect(sandbox.categories).toHaveLength(4);
  });
});
