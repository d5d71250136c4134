import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test as base, expect } from 'vitest';
import { noteCommands } from './last-commands.ts';
import { type Line, wordsOf } from './line.ts';
import { type Authority, makeAuthority } from './own-authority.ts';
import { brokenPromises } from './promises.ts';
import type { Service, ServiceOptions } from './service.ts';

export { expect };

export const launcher = resolve('bin/petstore.js');

/** Lets the deadline of `--timeout 1234ms` pass when there is a file `passed`: a machine may take long for anything else. */
export const deadlinesByFile = {
  NODE_OPTIONS: `--require ${resolve('test/support/programs/deadlines.cjs')}`,
};

/** Shorter ones are parts of other words. */
const minKeyLength = 8;

type Options = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Written to standard input, which is then closed; null leaves it open. */
  readonly stdin?: string | null;
  /** Runs it as that user, which only root can do. */
  readonly uid?: number | undefined;
  /** Leaves standard output unread, so that its pipe fills up. */
  readonly unread?: boolean;
};

export type Ended = {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A program that runs; it is killed when its test ends. */
export type Running = {
  readonly child: ChildProcessWithoutNullStreams;
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when it has written this to stderr. Rejects if it ends without. */
  readonly says: (text: string | RegExp) => Promise<void>;
  /** Resolves when it has written this to stdout, where a terminal shows all of it. Rejects if it ends without. */
  readonly shows: (text: string | RegExp) => Promise<void>;
  readonly ended: Promise<Ended>;
};

export type Fixtures = {
  /** A folder of this test alone; it is also the home folder of the programs that run. */
  folder: string;
  /** An authority for certificates, of the tests of one file; it needs openssl. */
  authority: Authority;
  /** Serves a sandbox, empty if not asked otherwise, on a real port until the test ends. */
  serve: (options?: ServiceOptions) => Promise<Service>;
  /** Starts a program in a clean environment. */
  spawn: (program: string, args: readonly string[], options?: Options) => Running;
  /** Runs a program to its end. */
  execute: (program: string, args: readonly string[], options?: Options) => Promise<Ended>;
  /** Starts the built petstore on this Node. */
  start: (line: Line, options?: Options) => Running;
  /** Runs the built petstore on this Node to its end, and expects what holds for every run. */
  petstore: (line: Line, options?: Options) => Promise<Ended>;
};

export const test = base.extend<Fixtures>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-process-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },

  authority: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
      await use(makeAuthority(folder));
      rmSync(folder, { recursive: true });
    },
    { scope: 'file' },
  ],

  serve: async ({}, use) => {
    const services: Service[] = [];
    await use(async (options) => {
      // Most tests of programs need none, and it takes a while to load.
      const { openService } = await import('./service.ts');
      const service = await openService(options);
      services.push(service);
      return service;
    });
    for (const { close } of services) close();
  },

  spawn: async ({ folder, onTestFailed }, use) => {
    const note = noteCommands({ onTestFailed });
    const running: Running[] = [];
    await use((program, args, { env = {}, cwd = folder, stdin = '', uid, unread } = {}) => {
      const child = spawn(program, args, {
        cwd,
        env: { ...cleanEnvironment(folder), ...env },
        ...(uid !== undefined && { uid, gid: uid }),
      });
      child.stdin.on('error', () => {});
      if (stdin !== null) child.stdin.end(stdin);
      const started = watch(child, unread);
      const command = note({ argv: [program, ...args], stderr: started.stderr });
      child.once('exit', (code, signal) => {
        command.exit = code ?? signal;
      });
      running.push(started);
      return started;
    });
    for (const { child } of running) {
      if (child.exitCode !== null || child.signalCode !== null || !child.pid) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  },

  execute: ({ spawn }, use) => use((program, args, options) => spawn(program, args, options).ended),

  start: ({ spawn, folder }, use) =>
    use((line, options = {}) => {
      const args = wordsOf(line);
      const program = options.uid === undefined ? launcher : launcherIn(folder);
      return spawn(process.execPath, [program, ...args], options);
    }),

  petstore: ({ start }, use) =>
    use(async (line, options) => {
      const args = wordsOf(line);
      const ended = await start(args, options).ended;
      const key = options?.env?.PETSTORE_API_KEY ?? '';
      const exitCode = ended.code;
      // A sandbox ends as its program does, and completion as a shell needs it.
      const isOther = /^(?:sandbox|completion)/.test(args[0] ?? '') || typeof exitCode === 'string';
      const keys = key.length > minKeyLength ? [key] : [];
      const broken = isOther ? [] : brokenPromises({ ...ended, exitCode }, keys);
      expect(broken, args.join(' ')).toEqual([]);
      return ended;
    }),
});

function watch(child: ChildProcessWithoutNullStreams, unread = false): Running {
  const chunks = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  const collect = (name: 'stdout' | 'stderr') =>
    child[name].setEncoding('utf8').on('data', (text) => {
      chunks[name] += text;
      for (const listener of listeners) listener();
    });
  collect('stderr');
  if (!unread) collect('stdout');
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once(unread ? 'exit' : 'close', (code, signal) =>
      resolve({ code: code ?? signal, ...chunks }),
    );
  });
  // A test that kills a program may never ask how it ended.
  ended.catch(() => {});
  const writes = (name: keyof typeof chunks) => (text: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        const written = chunks[name];
        if (!(typeof text === 'string' ? written.includes(text) : text.test(written))) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      const fail = () => reject(new Error(`ended without ${text}: ${chunks[name]}`));
      ended.then(fail, reject);
    });
  return {
    child,
    stdout: () => chunks.stdout,
    stderr: () => chunks.stderr,
    says: writes('stderr'),
    shows: writes('stdout'),
    ended,
  };
}

/** Returns a promise and the function that resolves it. */
export function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Polls until the condition holds, for what emits no event. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

/** Returns false for a process that has ended, also if nobody has asked how. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z/.test(readFileSync(stat, 'latin1'));
}

/** Writes a settings file into a home folder, with these settings of the profile production. */
export function saveProfile(home: string, settings: Readonly<Record<string, string>>): void {
  const folder = join(home, '.config', 'petstore');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ profiles: { production: settings } });
  writeFileSync(join(folder, 'settings.json'), text, { mode: 0o600 });
}

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
  return { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, TZ: 'UTC', LANG: 'C.UTF-8' };
}
