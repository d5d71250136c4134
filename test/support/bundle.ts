import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/** Path of a program made of a TypeScript file, in a folder; any Node runs it. */
export async function bundle(input: string, folder: string): Promise<string> {
  const { withoutUnused } = await import(pathToFileURL('rolldown.config.mjs').href);
  await build({
    input,
    platform: 'node',
    plugins: [withoutUnused()],
    output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'warn',
  });
  return join(folder, basename(input).replace(/\.ts$/, '.mjs'));
}
