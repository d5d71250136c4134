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
        // Whatever a verb needs beside its own file.
        { name: 'shared', test: /src.commands.verb/ },
      ],
    },
  },
  plugins: [withoutUnused({ isWhole: true }), functionWrappers(), thirdPartyNotices()],
});

const ownWidth = `module.exports = require(${JSON.stringify(resolve('src/output/width.ts'))}).measureWidth;`;

const { dots, line } = JSON.parse(readFileSync('node_modules/cli-spinners/spinners.json', 'utf8'));

/** Modules that packages load for features that petstore does not use, each with the CommonJS code in its place. */
const unused = [
  // With DEBUG set, the client of the shared store would print keys and commands on stderr.
  {
    of: /node_modules/,
    name: /^debug$/,
    code: 'exports.default = () => Object.assign(() => {}, { enabled: false });',
  },
  // petstore sends text over HTTP/1.1: 10 ms of a list.
  { of: /node_modules.undici/, name: /(client-h2|web.fetch.body)(\.js)?$/, code: '' },
  // undici's main module also has fetch, WebSocket, caches, which it makes at once, and mocks: 40 ms of a list.
  {
    of: /node_modules.undici.(lib.api.)?index\.js$/,
    name: /^(?!.*\/(core\/\w+|client|dispatcher|api|api-connect)$)/,
    code: 'exports.CacheStorage = class {};',
  },
  // undici loads its parser for SIMD once it has connected, and falls back to the other one without it. At that moment V8 is told
  // not to optimize the parser in the background: the exit would wait for that, 120 ms of a list.
  {
    of: /node_modules.undici/,
    name: /llhttp_simd-wasm\.js$/,
    code: `const { setFlagsFromString } = require('node:v8');
      setFlagsFromString('--no-wasm-tier-up');
      setFlagsFromString('--no-wasm-dynamic-tiering');`,
  },
  // petstore uses conf only to write: 17 ms of `config set`.
  { of: /node_modules.conf\b/, name: /^(?!node:|\.|dot-prop$|atomically$)/, code: '' },
  // petstore paints its tables itself, and shows one of ninety spinners: 9 kB of the tarball.
  { of: /node_modules.cli-table3/, name: /^@colors/, code: '' },
  {
    of: /node_modules.cli-spinners/,
    name: /spinners\.json$/,
    code: `module.exports = ${JSON.stringify({ dots, line })};`,
  },
  // cli-table3 would take emoji and marks for wider than terminals draw them.
  { of: /node_modules.cli-table3/, name: /^string-width$/, code: ownWidth },
];

/**
 * Puts stubs in the place of unused modules. Programs of tests and benchmarks, which load less, are bundled with it too.
 * @throws Error if a stub of the whole program has no module to replace, as after an update of its package
 */
export function withoutUnused({ isWhole = false } = {}) {
  const prefix = '\0unused-';
  const used = new Set();
  return {
    name: 'without-unused',
    resolveId(source, importer = '') {
      const index = unused.findIndex(({ of, name }) => of.test(importer) && name.test(source));
      used.add(index);
      return index < 0 ? undefined : `${prefix}${index}.cjs`;
    },
    load: (id) =>
      id.startsWith(prefix) ? unused[Number.parseInt(id.slice(prefix.length), 10)].code : undefined,
    buildEnd() {
      const idle = unused.filter((_, index) => !used.has(index));
      if (isWhole && idle.length > 0)
        throw new Error(`no module for ${idle.map(({ name }) => name)}`);
    },
  };
}

/** V8 up to Node 22 compiles a function in brackets at once, but parses an arrow function there twice: 4 to 8 ms of a list. */
function functionWrappers() {
  const arrow = /(__commonJSMin\(\()\(([\w, ]*)\) => \{/g;
  return {
    name: 'function-wrappers',
    renderChunk: (code) => code.replace(arrow, '$1function ($2) {'),
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
