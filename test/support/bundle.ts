import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const { default: config, withoutUnused } = await import(pathToFileURL('rolldown.config.mjs').href);

/** Bundles each file of src as the shipped program is bundled: a stub must not change what tests in memory see. */
export default async function bundleSrc(): Promise<void> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    // main.ts would run.
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && path !== 'main.ts')
    .map((path) => [path.replace(/\.ts$/, ''), `src/${path}`]);
  const output = { ...config.output, dir: 'node_modules/.bundled' };
  await build({ ...config, input: Object.fromEntries(files), plugins: [withoutUnused()], output });
}

/** Path of a program made of a TypeScript file, in a folder; any Node runs it. */
export async function bundle(input: string, folder: string): Promise<string> {
  await build({
    input,
    platform: 'node',
    plugins: [withoutUnused()],
    output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'warn',
  });
  return join(folder, basename(input).replace(/\.ts$/, '.mjs'));
}
