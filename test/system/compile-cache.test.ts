import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe } from 'vitest';
import { stateFolder } from '../../src/settings/folders.ts';
import { nodes } from '../support/nodes.ts';
import { expect, launcher, test } from '../support/program.ts';

const list = ['categories', 'list', '--json', '-p', 'sandbox'];
const launched = createRequire(import.meta.url)('../../bin/compile-cache.js');

/** The files that compiled code is kept in. */
function kept(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return [];
  }
}

test('the launcher finds the state folder where petstore does', () => {
  const home = '/home/anna';
  for (const env of [
    {},
    { XDG_STATE_HOME: '/state' },
    { PETSTORE_STATE_DIR: '/own' },
    { PETSTORE_STATE_DIR: '/own', XDG_STATE_HOME: '/state' },
    { LOCALAPPDATA: '/local' },
  ]) {
    for (const platform of ['linux', 'darwin', 'win32']) {
      const machine = { env, platform, home };
      expect(launched.stateFolder(env, platform, home)).toBe(stateFolder(machine));
    }
  }
});

describe.each(nodes)('on %s', (node) => {
  test('compiled code is kept in the state folder, for this user alone, and run from there', async ({
    folder,
    execute,
  }) => {
    const state = join(folder, 'state');
    const compiled = join(state, 'compiled');
    // Over a connection, with all that it loads.
    const script = `PETSTORE_STATE_DIR='${state}' '${node}' '${launcher}' categories list`;
    const petstore = () => execute(node, [launcher, 'sandbox', '--', 'sh', '-c', script]);

    // The first one makes the state folder.
    await petstore();
    const first = await petstore();
    const files = kept(compiled);
    const written = files.map((file) => statSync(file).mtimeMs);
    const second = await petstore();
    expect([first.code, second.stdout]).toEqual([0, first.stdout]);
    expect(files.length).toBeGreaterThan(3);
    expect(statSync(compiled).mode & 0o777).toBe(0o700);
    // What V8 rejects is written anew.
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual(written);
  });

  test('compiled code that is damaged is not run', async ({ folder, execute }) => {
    const compiled = join(folder, '.local', 'state', 'petstore', 'compiled');
    const petstore = () => execute(node, [launcher, ...list]);
    const { stdout } = await petstore();
    await petstore();

    for (const damage of [cut, flip, empty]) {
      for (const file of kept(compiled)) damage(file);
      expect(await petstore()).toMatchObject({ code: 0, stdout });
    }
  });

  test('compiled code of a file that was changed is not run, also where its length is the same', async ({
    folder,
    execute,
  }) => {
    for (const part of ['bin', 'dist', 'package.json']) {
      cpSync(part, join(folder, 'program', part), { recursive: true });
    }
    const petstore = () =>
      execute(node, [join(folder, 'program', 'bin', 'petstore.js'), 'sandbox', '--help']);
    await execute(node, [launcher, ...list]);
    const first = await petstore();
    const main = join(folder, 'program', 'dist', 'main.js');
    writeFileSync(
      main,
      readFileSync(main, 'utf8').replaceAll('Run a local sandbox', 'RUN A LOCAL SANDBOX'),
    );

    const second = await petstore();

    expect(first.stdout).toContain('Run a local sandbox');
    expect(second.stdout).toBe(
      first.stdout.replaceAll('Run a local sandbox', 'RUN A LOCAL SANDBOX'),
    );
  });

  test('compiled code is neither kept nor run where others could change it', async ({
    folder,
    execute,
  }) => {
    const state = join(folder, '.local', 'state', 'petstore');
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o777);

    for (let run = 0; run < 2; run += 1) {
      expect(await execute(node, [launcher, ...list])).toMatchObject({ code: 0 });
    }

    expect(kept(join(state, 'compiled'))).toEqual([]);
  });

  test('compiled code of other versions is removed, and reset knows all of it', async ({
    folder,
    execute,
  }) => {
    const compiled = join(folder, '.local', 'state', 'petstore', 'compiled');
    const old = join(compiled, '0.0.9', 'v22.0.0-x64-00000000-0');
    mkdirSync(old, { recursive: true, mode: 0o700 });
    writeFileSync(join(old, '0123abcd'), 'compiled');
    for (let run = 0; run < 2; run += 1) await execute(node, [launcher, ...list]);

    const files = kept(compiled);
    const { stdout } = await execute(node, [launcher, 'reset', '--dry-run', '--json']);

    expect(JSON.parse(stdout).wouldRemove).toEqual(expect.arrayContaining(files));
    expect(kept(join(compiled, '0.0.9'))).toEqual([]);
  });
});

const cut = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 5_000));
const empty = (file: string) => writeFileSync(file, '');
function flip(file: string): void {
  const bytes = readFileSync(file);
  for (let at = 100; at < bytes.length; at += 997) bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}
