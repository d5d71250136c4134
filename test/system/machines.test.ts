import { chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, type ExpectStatic } from 'vitest';
import { launcher, type Running, test } from '../support/program.ts';
import type { Service } from '../support/service.ts';

const shell = (script: string) => ['sh', '-c', `${script} && exec "$@"`, 'sh'];
/** Modes mean nothing to root unless it gives its privileges up. */
const obeying = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : ['env'];
/** A number that no user of this machine has. */
const nobodysUid = 4_242_424;

type Machine = readonly [
  what: string,
  needs: readonly string[],
  wrapper: readonly string[],
  /** How a command ends that has to save something. */
  saved: 0 | 74,
];
const machines: readonly Machine[] = [
  ['that lets no file grow', [], shell('ulimit -f 0'), 74],
  ['without /proc', ['unshare'], ['unshare', '-m', ...shell('mount -t tmpfs none /proc')], 0],
  ['with a read-only home', ['setpriv'], [...obeying, ...shell('export HOME=$PWD/locked')], 74],
];

describe.concurrent('on a machine', () => {
  for (const [what, tags, [program = '', ...args], saved] of machines) {
    test(`${what} it works, or says what it cannot save (exit ${saved})`, {
      tags: [...tags],
    }, async ({ serve, execute, folder, expect }) => {
      const service = await serve();
      const locked = join(folder, 'locked');
      mkdirSync(locked, { mode: 0o500 });

      await expectAll(expect, folder, service, saved, (argv) =>
        execute(program, [...args, process.execPath, launcher, ...argv], {
          env: service.env,
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
    // The first look there fails. The command writes nothing: this is the home of who runs the tests.
    const env = { FAULT: 'EIO', FAULT_FOLDER: folder, FAULT_AT: '1', HOME: undefined };
    const disk = resolve('test/support/programs/faulty-disk.cjs');
    const argv = ['--require', disk, launcher, 'config', 'get', 'output'];

    const { code, stderr } = await execute(process.execPath, argv, { env });

    expect(code).toBe(2);
    expect(stderr).toContain(`cannot read ${join(folder, 'settings.json')} (EIO)`);
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
  const rows = join(folder, 'rows.csv');
  writeFileSync(rows, 'name\nant\nbee\n');

  const listed = await petstore(['categories', 'list', '-q']);
  const saved = await petstore(['config', 'set', 'output', 'json', '-q']);
  const imported = await petstore(['categories', 'import', rows, '--yes', '-q', '-o', 'table']);

  const said = [listed, saved, imported].map(({ stderr }) => stderr);
  for (const text of said) expect(text.split('\n').length, text).toBeLessThanOrEqual(4);
  expect([listed.code, saved.code, imported.code], said.join('\n')).toEqual([0, code, code]);
  const names = state.categories.map(({ name }) => name).sort();
  expect(names).toEqual(code === 0 ? ['ant', 'bee'] : []);
  if (code === 0) return;
  expect(imported.stderr).toContain('\nNothing was sent');
  expect(requests).toHaveLength(1);
}
