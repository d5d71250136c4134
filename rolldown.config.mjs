import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  output: {
    dir: 'dist',
    // CommonJS starts faster than ES modules on every supported Node, and V8 reads comments at each start.
    format: 'cjs',
    comments: false,
    // Each file that is loaded costs a start: a tenth of `categories list` in all.
    codeSplitting: {
      groups: [
        { name: 'start', tags: ['$initial'], priority: 1 },
        { name: 'shared', minShareCount: 10 },
      ],
    },
  },
  plugins: [emptyDist(), withoutUnused(), thirdPartyNotices()],
});

function emptyDist() {
  return { name: 'empty-dist', buildStart: () => rmSync('dist', { recursive: true, force: true }) };
}

const ownWidth = `module.exports = require(${JSON.stringify(resolve('src/output/width.ts'))}).widthOf;`;

/** The modules that packages of ours load for uses that are not ours, each with the CommonJS module in its place. */
const unused = [
  // With DEBUG set the client of the limit store would print keys and commands on stderr, past the sink.
  {
    of: /node_modules/,
    name: 'debug',
    code: 'exports.default = () => Object.assign(() => {}, { enabled: false });',
  },
  // With NODE_DEBUG set undici would print its requests there.
  {
    of: /node_modules.undici/,
    name: /diagnostics\.js$/,
    code: 'exports.channels = new Proxy({}, { get: () => ({ hasSubscribers: false }) });',
  },
  // Our requests are HTTP/1.1 with text for a body: 8 of the 17 ms that undici takes to load.
  {
    of: /node_modules.undici/,
    name: /(client-h2|web.fetch.body|llhttp_simd-wasm)(\.js)?$/,
    code: '',
  },
  { of: /node_modules.undici/, name: 'node:http', code: '' },
  {
    of: /node_modules.undici/,
    name: 'node:assert',
    code: 'module.exports = (holds) => { if (!holds) throw new Error("assertion failed"); };',
  },
  // Commander can run subcommands that are programs of their own: 2 ms of every start.
  { of: /node_modules.commander/, name: 'node:child_process', code: '' },
  // What conf would check, encrypt, migrate, watch and write with takes 29 ms; we read and write settings ourselves.
  { of: /node_modules.conf\b/, name: /^(?!node:|\.)/, code: '' },
  { of: /node_modules.conf\b/, name: 'node:assert', code: 'exports.deepEqual = () => {};' },
  // The measure of cli-table3 takes emoji and marks for wider than terminals draw them; cells are laid out with ours.
  { of: /node_modules.cli-table3/, name: 'string-width', code: ownWidth },
  // Colours come from chalk.
  { of: /node_modules.cli-table3/, name: '@colors/colors/safe', code: '' },
];

/** Programs of tests and benchmarks are bundled with it too. */
export function withoutUnused() {
  const prefix = '\0unused-';
  const fits = (pattern, text) =>
    typeof pattern === 'string' ? pattern === text : pattern.test(text);
  return {
    name: 'without-unused',
    resolveId(source, importer = '') {
      const index = unused.findIndex(({ of, name }) => of.test(importer) && fits(name, source));
      return index < 0 ? undefined : `${prefix}${index}.cjs`;
    },
    load: (id) =>
      id.startsWith(prefix) ? unused[Number.parseInt(id.slice(prefix.length), 10)].code : undefined,
  };
}

/** The licences of everything bundled ask for their text to travel with the copy. */
function thirdPartyNotices() {
  return {
    name: 'third-party-notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}));
      const folders = new Set(
        modules.filter((id) => id.includes('node_modules')).map(packageFolder),
      );
      const notices = [...folders]
        .sort()
        .map(noticeOf)
        .join(`\n${'-'.repeat(72)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: notices });
    },
  };
}

function packageFolder(id) {
  let folder = dirname(id.replaceAll('\0', ''));
  while (!(existsSync(join(folder, 'package.json')) && manifestOf(folder).version)) {
    folder = dirname(folder);
  }
  return folder;
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function noticeOf(folder) {
  const { name, version, license, repository } = manifestOf(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  // The MPL asks to say where its source is.
  const source = /^MPL/.test(license)
    ? `Source: ${repository.url.replace(/^git:/, 'https:')}\n\n`
    : '';
  return `${name} ${version}\n\n${source}${text}\n`;
}
