import { resolve } from 'node:path';
import type { Program } from './turns.ts';

/** A script of four lines that reads a list whole and holds it; the environment says from where. */
export function fetchAll(env: Program['env'], options: readonly string[] = []): Program {
  return { argv: [process.execPath, ...options, resolve('test/bench/fetch-all.mjs')], env };
}
