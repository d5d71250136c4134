import { resolve } from 'node:path';
import type { Format } from './rows.ts';

/** A program that imports a file, as an argv. */
export type Program = {
  readonly format: Format;
  readonly argv: (file: string, settle: string) => readonly string[];
};

function importing(program: string): Program['argv'] {
  return (file, settle) => [
    process.execPath,
    program,
    ...['categories', 'import', file, '--yes', '--quiet'],
    ...['--settle', settle, '--timeout', '2s', '--max-wait', 'inf'],
  ];
}

export const petstore: Program = { format: 'csv', argv: importing(resolve('bin/petstore.js')) };

export function naive(manner: 'after' | 'before'): Program {
  const script = resolve('test/bench/import/naive.mjs');
  return { format: 'ndjson', argv: (file) => [process.execPath, script, manner, file] };
}
