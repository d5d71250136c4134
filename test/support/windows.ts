import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, describe } from 'vitest';
import { bundle } from './bundle.ts';
import { launcher } from './program.ts';
import { type Ended, type Options, type Running, startWindows, windowsPath } from './wine.ts';

export { expect } from 'vitest';
export { windowsPath } from './wine.ts';

type Fixtures = {
  /** A folder of this test alone, by its name on Linux; settings and state are below it. */
  folder: string;
  /** Starts a program: a file and its arguments, or a line for cmd.exe. */
  start: (program: string, args?: readonly string[], options?: Options) => Running;
  /** Runs the built petstore to its end. */
  petstore: (args: readonly string[], options?: Options) => Promise<Ended>;
  /** Runs a TypeScript file of test/support/programs. */
  program: (name: string) => Promise<(...args: readonly string[]) => Running>;
};

const nodes = (process.env.PETSTORE_TEST_WINE ?? '').split(':').filter(Boolean);

/** Tests on each Node for Windows that PETSTORE_TEST_WINE lists; they skip where it lists none. */
export function describeWindows(tests: (test: ReturnType<typeof testOn>) => void): void {
  const all = nodes.length > 0 ? nodes : ['node.exe'];
  const extended = all.map((node) => ({ node, test: testOn(node) }));
  describe.each(extended)('on $node', { tags: ['wine'] }, ({ test }) => tests(test));
}

/** Where a test's petstore keeps what it stores, by its name on Linux. */
export const configFolder = (folder: string) => join(folder, 'Roaming', 'petstore', 'Config');
export const stateFolder = (folder: string) => join(folder, 'Local', 'petstore');

function testOn(node: string) {
  const started = base.extend('windows', { scope: 'file' }, async ({}, { onCleanup }) => {
    const windows = await startWindows(node);
    onCleanup(windows.close);
    return windows;
  });
  return started.extend<Fixtures>({
    folder: async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'petstore-windows-'));
      for (const name of ['Roaming', 'Local/Temp'])
        mkdirSync(join(folder, name), { recursive: true });
      await use(folder);
      rmSync(folder, { recursive: true });
    },

    start: async ({ windows, folder }, use) => {
      const started: Running[] = [];
      await use((program, args, { env, cwd = windowsPath(folder), ...options } = {}) => {
        const running = windows.run(program, args, {
          ...options,
          cwd,
          env: { ...environment(windowsPath(folder)), ...env },
        });
        started.push(running);
        return running;
      });
      for (const { kill } of started) kill();
      await Promise.all(started.map(({ ended }) => ended));
    },

    petstore: ({ start }, use) =>
      use((args, options) => start('node', [windowsPath(launcher), ...args], options).ended),

    program: ({ start, folder }, use) =>
      use(async (name) => {
        const path = await bundle(`test/support/programs/${name}.ts`, join(folder, 'programs'));
        return (...args) => start('node', [windowsPath(path), ...args]);
      }),
  });
}

/** As Windows sets them for a user whose home is this folder. */
function environment(home: string): Record<string, string> {
  return {
    USERPROFILE: home,
    APPDATA: `${home}\\Roaming`,
    LOCALAPPDATA: `${home}\\Local`,
    TEMP: `${home}\\Local\\Temp`,
    TMP: `${home}\\Local\\Temp`,
    NODE_OPTIONS: `--require ${windowsPath(resolve('test/support/programs/without-keep-alive.cjs'))}`,
  };
}
