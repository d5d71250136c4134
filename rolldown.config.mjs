import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  output: {
    dir: 'dist',
    cleanDir: true,
    // CommonJS starts faster than ES modules on all supported versions of Node, and V8 reads comments at each start.
    format: 'cjs',
    comments: false,
    // Each file that is loaded takes time. Without these groups `categories list` starts a tenth slower.
    codeSplitting: {
      groups: [
        { name: 'start', tags: ['$initial'], priority: 1 },
        { name: 'shared', minShareCount: 10 },
      ],
    },
  },
  plugins: [withoutUnused(), thirdPartyNotices()],
});

const ownWidth = `module.exports = require(${JSON.stringify(resolve('src/output/width.ts'))}).widthOf;`;

/** Modules that packages load for features that petstore does not use, each with the CommonJS code in its place. */
const unused = [
  // With DEBUG set, the client of the shared store would print keys and commands on stderr.
  {
    of: /node_modules/,
    name: /^debug$/,
    code: 'exports.default = () => Object.assign(() => {}, { enabled: false });',
  },
  // With NODE_DEBUG set, undici would print its requests there.
  {
    of: /node_modules.undici/,
    name: /diagnostics\.js$/,
    code: 'exports.channels = new Proxy({}, { get: () => ({ hasSubscribers: false }) });',
  },
  // petstore sends text over HTTP/1.1: 8 of the 17 ms that undici takes to load.
  {
    of: /node_modules.undici/,
    name: /(client-h2|web.fetch.body|llhttp_simd-wasm)(\.js)?$/,
    code: '',
  },
  { of: /node_modules.undici/, name: /^node:http$/, code: '' },
  {
    of: /node_modules.undici/,
    name: /^node:assert$/,
    code: 'module.exports = (holds) => { if (!holds) throw new Error("assertion failed"); };',
  },
  // Commander can run programs as subcommands: 2 ms of every start.
  { of: /node_modules.commander/, name: /^node:child_process$/, code: '' },
  // petstore uses conf only to set and delete dotted paths. Its packages for all else take 29 ms to load.
  { of: /node_modules.conf\b/, name: /^(?!node:|\.|dot-prop$)/, code: '' },
  { of: /node_modules.conf\b/, name: /^node:assert$/, code: 'exports.deepEqual = () => {};' },
  // cli-table3 would take emoji and marks for wider than terminals draw them.
  { of: /node_modules.cli-table3/, name: /^string-width$/, code: ownWidth },
  // Colours come from chalk.
  { of: /node_modules.cli-table3/, name: /^@colors\/colors\/safe$/, code: '' },
];

/** Puts stubs in the place of unused modules. Programs of tests and benchmarks are bundled with it too. */
export function withoutUnused() {
  const prefix = '\0unused-';
  return {
    name: 'without-unused',
    resolveId(source, importer = '') {
      const index = unused.findIndex(({ of, name }) => of.test(importer) && name.test(source));
      return index < 0 ? undefined : `${prefix}${index}.cjs`;
    },
    load: (id) =>
      id.startsWith(prefix) ? unused[Number.parseInt(id.slice(prefix.length), 10)].code : undefined,
  };
}

/** Writes the licences of bundled packages, whose text has to accompany each copy. */
function thirdPartyNotices() {
  return {
    name: 'third-party-notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}));
      const folders = modules.flatMap((id) => id.match(packageFolder) ?? []);
      const notices = [...new Set(folders)].sort().map(noticeOf);
      const source = notices.join(separator);
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source });
    },
  };
}

const separator = `\n${'-'.repeat(72)}\n\n`;
const llhttp = 'Copyright Fedor Indutny, 2018.';

const packageFolder = /[^\0]*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

function noticeOf(folder) {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license, repository } = JSON.parse(manifest);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  // The MPL demands to say where its source is.
  const source = /^MPL/.test(license)
    ? `Source: ${repository.url.replace(/^git:/, 'https:')}\n\n`
    : '';
  // undici carries llhttp, which has the same licence, as WebAssembly.
  const carried =
    name === 'undici' ? [`llhttp\n\n${text.replace(/^Copyright.*$/m, llhttp)}\n`] : [];
  return [`${name} ${version}\n\n${source}${text}\n`, ...carried].join(separator);
}
