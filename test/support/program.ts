import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base } from 'vitest';

export { expect } from 'vitest';

export const launcher = resolve('bin/petstore.js');

type Options = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** Runs it as that user, which only root can do. */
  readonly uid?: number | undefined;
};

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type Fixtures = {
  /** A folder of this test alone; it is also the home folder of the programs that run. */
  folder: string;
  /** Runs a program to its end. */
  execute: (program: string, args: readonly string[], options?: Options) => Promise<Ended>;
  /** Runs the built petstore on this Node. */
  petstore: (args: readonly string[], options?: Options) => Promise<Ended>;
};

export const test = base.extend<Fixtures>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-process-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },

  execute: ({ folder }, use) =>
    use((program, args, { env = {}, cwd = folder, stdin = '', uid } = {}) => {
      const child = spawn(program, args, {
        cwd,
        env: { ...cleanEnvironment(folder), ...env },
        ...(uid !== undefined && { uid, gid: uid }),
      });
      const chunks = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text) => {
        chunks.stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text) => {
        chunks.stderr += text;
      });
      child.stdin.on('error', () => {}).end(stdin);
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, ...chunks }));
      });
    }),

  petstore: ({ execute, folder }, use) =>
    use((args, options = {}) => {
      const program = options.uid === undefined ? launcher : launcherIn(folder);
      return execute(process.execPath, [program, ...args], options);
    }),
});

/** A copy of the built program, for another user: the checkout may be where root alone can read. */
function launcherIn(folder: string): string {
  const copy = join(folder, 'program');
  if (!existsSync(copy)) {
    for (const part of ['bin', 'dist', 'package.json']) {
      cpSync(part, join(copy, part), { recursive: true });
    }
  }
  return join(copy, 'bin', 'petstore.js');
}

/** Puts the built petstore into a folder of its own, and returns a PATH on which it comes first. */
export function pathWithPetstore(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const text = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`;
  writeFileSync(join(bin, 'petstore'), text, { mode: 0o755 });
  return `${bin}:${process.env.PATH}`;
}

/** As on a fresh machine: no settings, no state, no key. */
export function cleanEnvironment(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home, TZ: 'UTC', LANG: 'C.UTF-8' };
}

/** Takes connections and says nothing. */
export async function silentServer() {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  const asked = new Promise((resolve) => server.once('connection', resolve));
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return { port, asked, close: () => server.close() };
}
