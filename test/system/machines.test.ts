import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { plans } from '../support/values.ts';

const isRoot = process.getuid?.() === 0;
/** Modes mean nothing to root unless it gives its privileges up. */
const withoutPrivileges = isRoot ? ['setpriv', '--bounding-set=-all'] : [];
/** A number that no user of this machine has. */
const nobodysUid = 4_242_424;

type Ended = { readonly code: number | NodeJS.Signals | null; readonly stderr: string };
type Petstore = (argv: readonly string[], service: Service) => Promise<Ended>;
type Service = Awaited<ReturnType<typeof startService>>;

describe('on a machine', () => {
  test.for([
    ['whose working folder is gone', 'mkdir x && cd x && rmdir ../x', {}, 0],
    ['whose file of certificates is missing', ':', { NODE_EXTRA_CA_CERTS: '/missing.pem' }, 0],
    ['that lets no file grow', 'ulimit -f 0', {}, 74],
  ] as const)(
    '%s it works, or says what it cannot save',
    async ([, script, env, code], { execute, folder }) => {
      const program = ['-c', `${script} && exec "$@"`, 'sh', process.execPath, launcher];

      await expectAll(folder, code, (argv, service) =>
        execute('sh', [...program, ...argv], { env: { ...envOf(service), ...env } }),
      );
    },
  );

  test.for(['missing', 'read-only'])(
    'whose home folder is %s it works, but for an import',
    { tags: ['setpriv'] },
    async (home, { execute, folder }) => {
      const locked = join(folder, 'locked');
      mkdirSync(locked);
      chmodSync(locked, 0o500);
      const HOME = home === 'missing' ? join(locked, 'home') : locked;
      const [program = '', ...args] = [...withoutPrivileges, process.execPath, launcher];

      await expectAll(folder, 74, (argv, service) =>
        execute(program, [...args, ...argv], { env: { ...envOf(service), HOME } }),
      );
    },
  );

  test('without /proc it works', { tags: ['unshare'] }, async ({ execute, folder }) => {
    const script = 'mount -t tmpfs none /proc && exec "$@"';
    const program = ['--mount', 'sh', '-c', script, 'sh', process.execPath, launcher];

    await expectAll(folder, 0, (argv, service) =>
      execute('unshare', [...program, ...argv], { env: envOf(service) }),
    );
  });

  test('that knows neither name nor home of its user, it works, but for an import', {
    tags: ['root'],
  }, async ({ petstore, folder, onTestFinished }) => {
    chownSync(folder, nobodysUid, nobodysUid);
    onTestFinished(() => rmSync(`/tmp/petstore-${nobodysUid}`, { recursive: true, force: true }));

    await expectAll(folder, 2, (argv, service) =>
      petstore(argv, { env: { ...envOf(service), HOME: undefined }, uid: nobodysUid }),
    );
  });

  test('that lets a file grow no further in the midst of an import, it says so and goes on later', async ({
    execute,
    petstore,
    folder,
  }) => {
    const service = await startService({ plan: plans.business });
    const names = Array.from({ length: 220 }, (_, n) => `pet-${n}`);
    const rows = writeRows(folder, names);
    const argv = ['categories', 'import', rows, '--yes', '--settle', '0', '-q'];
    const program = ['-c', 'ulimit -f 8 && exec "$@"', 'sh', process.execPath, launcher];

    const full = await execute('sh', [...program, ...argv], { env: envOf(service) });
    const done = service.state.categories.length;
    const again = await petstore(argv, { env: envOf(service) });

    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(names.length);
    expect(full.stderr).toContain('EFBIG');
    expect([full.code, again.code], full.stderr).toEqual([74, 0]);
    expect(service.state.categories.map(({ name }) => name).sort()).toEqual([...names].sort());
  });
});

/** Lists and creates, which work anywhere; an import ends with that code, and has sent nothing unless it is 0. */
async function expectAll(folder: string, code: number, petstore: Petstore): Promise<void> {
  const service = await startService();
  const rows = writeRows(folder, ['ant', 'bee']);

  const listed = await petstore(['categories', 'list', '-q'], service);
  const created = await petstore(['categories', 'create', 'emu', '-q'], service);
  const imported = await petstore(['categories', 'import', rows, '--yes', '-q'], service);

  for (const { stderr } of [listed, created, imported]) {
    expect(stderr.split('\n').length, stderr).toBeLessThanOrEqual(4);
  }
  const codes = [listed.code, created.code, imported.code];
  expect(codes, listed.stderr + created.stderr + imported.stderr).toEqual([0, 0, code]);
  if (code !== 0) expect(imported.stderr).toContain('\nNothing was sent');
  expect(service.state.categories.map(({ name }) => name).sort()).toEqual(
    code === 0 ? ['ant', 'bee', 'emu'] : ['emu'],
  );
  if (code !== 0) expect(service.requests).toHaveLength(2);
}

function writeRows(folder: string, names: readonly string[]): string {
  const path = join(folder, 'rows.csv');
  writeFileSync(path, `name\n${names.join('\n')}\n`);
  return path;
}

function envOf({ url, key }: Service) {
  return { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key };
}
