import { chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, type ExpectStatic } from 'vitest';
import { launcher, type Running, test } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { plans } from '../support/values.ts';

const shell = (script: string) => ['sh', '-c', `${script} && exec "$@"`, 'sh'];
/** Modes mean nothing to root unless it gives its privileges up. */
const obeying = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : ['env'];
/** A number that no user of this machine has. */
const nobodysUid = 4_242_424;

type Machine = readonly [
  what: string,
  needs: readonly string[],
  wrapper: readonly string[],
  env: Readonly<Record<string, string>>,
  /** How a command ends that has to save something. */
  saved: 0 | 74,
];
const machines: readonly Machine[] = [
  ['whose working folder is gone', [], shell('mkdir x && cd x && rmdir ../x'), {}, 0],
  ['without its file of certificates', [], ['env'], { NODE_EXTRA_CA_CERTS: '/missing.pem' }, 0],
  ['that lets no file grow', [], shell('ulimit -f 0'), {}, 74],
  ['without /proc', ['unshare'], ['unshare', '-m', ...shell('mount -t tmpfs none /proc')], {}, 0],
  ['with a read-only home', ['setpriv'], [...obeying, ...shell('export HOME=$PWD/locked')], {}, 74],
];

describe.concurrent('on a machine', () => {
  for (const [what, tags, [program = '', ...args], env, saved] of machines) {
    test(`${what} it works, or says what it cannot save (exit ${saved})`, {
      tags: [...tags],
    }, async ({ serve, execute, folder, expect }) => {
      const service = await serve();
      const locked = join(folder, 'locked');
      mkdirSync(locked, { mode: 0o500 });

      await expectAll(expect, folder, service, saved, (argv) =>
        execute(program, [...args, process.execPath, launcher, ...argv], {
          env: { ...service.env, ...env },
        }),
      );

      expect(readdirSync(locked)).toEqual([]);
    });
  }

  test('that knows neither name nor home of its user it works, but saves nothing', {
    tags: ['root'],
  }, async ({ serve, petstore, folder, expect, onTestFinished }) => {
    const service = await serve();
    chownSync(folder, nobodysUid, nobodysUid);
    onTestFinished(() => rmSync(`/tmp/petstore-${nobodysUid}`, { recursive: true, force: true }));

    await expectAll(expect, folder, service, 2, (argv) =>
      petstore(argv, { env: { ...service.env, HOME: undefined }, uid: nobodysUid }),
    );
  });

  test('without HOME it finds the home folder in the system’s list', async ({
    execute,
    expect,
  }) => {
    const folder = join(userInfo().homedir, '.config', 'petstore');
    // The first look there fails, so that nothing is ever written.
    const env = { FAULT: 'EIO', FAULT_FOLDER: folder, FAULT_AT: '1', HOME: undefined };
    const disk = resolve('test/support/programs/faulty-disk.cjs');
    const argv = ['--require', disk, launcher, 'config', 'set', 'output', 'json'];

    const { code, stderr } = await execute(process.execPath, argv, { env });

    expect(code).toBe(2);
    expect(stderr).toContain(`cannot read ${join(folder, 'settings.json')} (EIO)`);
  });

  test('that lets a file grow no further in the midst of an import, it says so and goes on later', async ({
    serve,
    execute,
    petstore,
    folder,
    expect,
  }) => {
    const { env, state } = await serve({ plan: plans.business });
    const names = Array.from({ length: 220 }, (_, n) => `pet-${n}`);
    const argv = ['categories', 'import', write(folder, names), '--yes', '--settle', '0', '-q'];
    const [program = '', ...args] = shell('ulimit -f 8');

    const full = await execute(program, [...args, process.execPath, launcher, ...argv], { env });
    const done = state.categories.length;
    const again = await petstore(argv, { env });

    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(names.length);
    expect(full.stderr).toContain('EFBIG');
    expect([full.code, again.code], full.stderr).toEqual([74, 0]);
    expect(namesOf(state)).toEqual(names.toSorted());
  });
});

/** Lists, which works anywhere, then changes a setting and imports; both end with that code, and do nothing unless it is 0. */
async function expectAll(
  expect: ExpectStatic,
  folder: string,
  { requests, state }: Service,
  code: number,
  petstore: (argv: readonly string[]) => Running['ended'],
): Promise<void> {
  const rows = write(folder, ['ant', 'bee']);

  const listed = await petstore(['categories', 'list', '-q']);
  const saved = await petstore(['config', 'set', 'output', 'json', '-q']);
  const imported = await petstore(['categories', 'import', rows, '--yes', '-q', '-o', 'table']);

  const said = [listed, saved, imported].map(({ stderr }) => stderr);
  for (const text of said) expect(text.split('\n').length, text).toBeLessThanOrEqual(4);
  expect([listed.code, saved.code, imported.code], said.join('\n')).toEqual([0, code, code]);
  expect(namesOf(state)).toEqual(code === 0 ? ['ant', 'bee'] : []);
  if (code === 0) return;
  expect(imported.stderr).toContain('\nNothing was sent');
  expect(requests).toHaveLength(1);
}

function namesOf({ categories }: Service['state']): string[] {
  return categories.map(({ name }) => name).sort();
}

function write(folder: string, names: readonly string[]): string {
  const path = join(folder, 'rows.csv');
  writeFileSync(path, `name\n${names.join('\n')}\n`);
  return path;
}
