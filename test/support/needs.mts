import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
const onPath = (program: string) => folders.some((folder) => existsSync(join(folder, program)));

/** Whether a program is here and does its work: containers often forbid to trace, or to make namespaces. */
const succeeds = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args).status === 0;

/** The shared store's servers, each with the program that runs it. */
export const engines = {
  'redis-server': 'redis-server',
  'valkey-server': process.env.PETSTORE_TEST_VALKEY || 'valkey-server',
} as const;

// Of several tags the last `skip` counts, so that only a missing program may have one.
const missing = (name: string) => ({ name, skip: true });

const found: Readonly<Record<string, boolean>> = {
  curl: onPath('curl'),
  fish: onPath('fish'),
  flock: onPath('flock'),
  jq: onPath('jq'),
  openssl: onPath('openssl'),
  'redis-server': onPath(engines['redis-server']),
  root: process.getuid?.() === 0,
  // Only root has privileges to give up.
  setpriv: process.getuid?.() !== 0 || onPath('setpriv'),
  script: onPath('script'),
  strace: succeeds('strace', ['-o', '/dev/null', 'true']),
  unshare: succeeds('unshare', ['--pid', '--fork', '--mount-proc', 'true']),
  'valkey-server': onPath(engines['valkey-server']) || Boolean(process.env.PETSTORE_TEST_VALKEY),
  wine: Boolean(process.env.PETSTORE_TEST_WINE),
  zsh: onPath('zsh'),
};

/** What tests need and a machine may lack, as Vitest tags: a test with such a tag skips where that is missing. */
export const needs = Object.entries(found).map(([name, here]) => (here ? { name } : missing(name)));
