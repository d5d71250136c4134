import { basename, join } from 'node:path';
import { build } from 'rolldown';

/** Path of a program made of a TypeScript file, in a folder; any Node runs it. */
export async function bundle(input: string, folder: string): Promise<string> {
  await build({
    input,
    platform: 'node',
    output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'warn',
  });
  return join(folder, basename(input).replace(/\.ts$/, '.mjs'));
}
