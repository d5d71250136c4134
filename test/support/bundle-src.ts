import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/** Bundles each file of src as the shipped program is bundled: a stub must not change what tests in memory see. */
export default async function bundleSrc(): Promise<void> {
  const { default: config, withoutUnused } = await import(
    pathToFileURL('rolldown.config.mjs').href
  );
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    // main.ts would run.
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && path !== 'main.ts')
    .map((path) => [path.replace(/\.ts$/, ''), `src/${path}`]);
  const output = { ...config.output, dir: 'node_modules/.bundled' };
  await build({ ...config, input: Object.fromEntries(files), plugins: [withoutUnused()], output });
}
