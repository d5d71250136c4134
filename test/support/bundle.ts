import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';

/** A text in a source file, and the one to have in its place. */
export type Replacement = {
  readonly file: string;
  readonly text: string;
  readonly by: string;
};

/** Path of a program made of a TypeScript file, in a folder; any Node runs it. */
export async function bundle(
  input: string,
  folder: string,
  replacement?: Replacement,
): Promise<string> {
  const { withoutUnused } = await import(pathToFileURL('rolldown.config.mjs').href);
  await build({
    input,
    platform: 'node',
    plugins: [withoutUnused(), replacement && replacing(replacement)],
    output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'warn',
  });
  return join(folder, basename(input).replace(/\.ts$/, '.mjs'));
}

function replacing({ file, text, by }: Replacement): Plugin {
  return {
    name: 'replacing',
    transform(code, id) {
      if (!id.endsWith(file)) return undefined;
      if (!code.includes(text)) throw new Error(`${file} has no ${text}`);
      return code.replace(text, by);
    },
  };
}
