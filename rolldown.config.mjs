import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  // It does not say so itself, and its index would load all of it.
  treeshake: { moduleSideEffects: [{ test: /node_modules.yaml.browser/, sideEffects: false }] },
  // As ES modules, which can be split.
  resolve: {
    alias: {
      'yaml/util': resolve('node_modules/yaml/browser/dist/util.js'),
      yaml: resolve('node_modules/yaml/browser/dist/index.js'),
    },
  },
  // CommonJS starts faster than ES modules on every supported Node, and splits per command.
  output: {
    dir: 'dist',
    format: 'cjs',
    // With a hash, so that a process which an upgrade has overtaken never loads a part of the other version.
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Each file costs a start, and with this many commands what they share would come in small pieces.
    codeSplitting: {
      groups: [
        { name: 'start', tags: ['$initial'], priority: 2 },
        { name: whatSessionsShare(), debugName: 'session', priority: 1 },
        // What writes YAML does without what reads it.
        {
          name: 'yaml',
          test: /node_modules.yaml.browser.dist.(nodes|doc|schema|stringify)/,
          priority: 1,
        },
        { name: 'read-yaml', test: /node_modules.yaml.browser.dist.(compose|parse|public-api)/ },
      ],
    },
    // Not minified: an uncaught error would print one endless source line.
    minify: false,
    // V8 reads them at each start.
    comments: false,
  },
  plugins: [
    emptyDist(),
    asModules(),
    grammarAlone(),
    withoutUnused(),
    readOnce(),
    inAscii(),
    thirdPartyNotices(),
    helpPage(),
  ],
});

/** Every command on the service opens a session and has an endpoint. */
function whatSessionsShare() {
  const roots = [
    'src/session/session.ts',
    'src/api/endpoints.ts',
    'src/commands/categories/list.ts',
  ];
  let shared;
  return (id, graph) => {
    shared ??= withImports(
      roots.map((root) => resolve(root)),
      graph,
    );
    return shared.has(id) ? 'session' : null;
  };
}

function withImports(ids, graph) {
  const found = new Set(ids);
  // A set goes on to what is added meanwhile.
  for (const id of found)
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

function emptyDist() {
  return { name: 'empty-dist', buildStart: () => rmSync('dist', { recursive: true, force: true }) };
}

/**
 * Commander as ES modules: around a CommonJS one the build has to put a function, and V8 parses what is in it twice. Without
 * node:child_process, which it loads for subcommands that are programs of their own: 2 ms of every start, for none of ours.
 */
function asModules() {
  const files = /node_modules.commander.(index|lib.\w+)\.js$/;
  return {
    name: 'as-modules',
    resolveId: (source) =>
      source === 'commander' ? resolve('node_modules/commander/index.js') : undefined,
    transform: (code, id) =>
      files.test(id)
        ? code
            .replace("require('node:child_process')", '{}')
            .replace('exports.program = new Command();', '')
            .replace(/^const (\{.*\}) = require\('(\..*)'\);$/gm, "import $1 from '$2';")
            .replace(/^exports\.(\w+) = \1;.*$/gm, 'export { $1 };')
            .replace(/^exports\.(\w+) = /gm, 'export const $1 = ')
        : undefined,
  };
}

/** Of the library for JMESPath only the grammar: what evaluates is made at once, and so would stay although nothing uses it. */
function grammarAlone() {
  return {
    name: 'grammar-alone',
    transform: (code, id) =>
      /node_modules.@jmespath-community/.test(id)
        ? code.replace(
            /^var \w+ = (?=new (TreeInterpreter|ScopeChain)\(\);$)/gm,
            '$&/* @__PURE__ */ ',
          )
        : undefined,
  };
}

const ownWidth = `module.exports = require(${JSON.stringify(resolve('src/output/cell-width.ts'))}).cellWidth;`;

/**
 * What our packages would load or do for uses that are not ours, and the CommonJS module in its place: of the package whose path
 * `of` matches, the module that it asks for by `name`.
 */
const unused = [
  // With DEBUG set the client of the limit store would tell keys and commands on stderr, past the sink.
  {
    of: /node_modules/,
    name: 'debug',
    code: 'exports.default = () => Object.assign(() => {}, { enabled: false });',
  },
  // With NODE_DEBUG set undici would tell its requests there. No channel of it has a subscriber.
  {
    of: /node_modules.undici/,
    name: /diagnostics\.js$/,
    code: 'exports.channels = new Proxy({}, { get: () => ({ hasSubscribers: false }) });',
  },
  // undici speaks HTTP/1.1 over connections that are made for it, its bodies are text, and nothing wraps its handlers. Of its parser
  // the plain variant runs on every machine, and is as fast as the one with SIMD for responses as these.
  {
    of: /node_modules.undici/,
    name: /(client-h2|core.connect|web.fetch.body|handler.wrap-handler|llhttp_simd-wasm)(\.js)?$/,
    code: '',
  },
  // Of what the parser is written with it wants four numbers; of its own timers, which are for deadlines, one that Node has too.
  {
    of: /node_modules.undici/,
    name: '../llhttp/constants.js',
    code: 'exports.TYPE = { RESPONSE: 2 }; exports.ERROR = { OK: 0, PAUSED: 21, PAUSED_UPGRADE: 22 };',
  },
  {
    of: /node_modules.undici/,
    name: /util.timers(\.js)?$/,
    code: 'exports.clearTimeout = clearTimeout;',
  },
  // The names of header fields in lower case, of which it looks up a few in each response: 2 ms to set up.
  {
    of: /node_modules.undici/,
    name: './tree',
    code: 'exports.tree = { lookup: () => undefined };',
  },
  // Of Node's own client it wants a class and a default that are never needed here; of assert no more than this: 5 ms of a start.
  { of: /node_modules.undici/, name: 'node:http', code: '' },
  {
    of: /node_modules.undici/,
    name: 'node:assert',
    code: 'module.exports = (holds) => { if (!holds) throw new Error("assertion failed"); };',
  },
  // What conf would check, encrypt, migrate, watch and write with: our settings are read and written by ourselves. They have no
  // defaults, which is all that it compares.
  { of: /node_modules.conf\b/, name: /^(?!node:|\.)/, code: '' },
  { of: /node_modules.conf\b/, name: 'node:assert', code: 'exports.deepEqual = () => {};' },
  // Its own measure of text takes emoji and marks for wider than terminals draw them, and cells are cut to ours.
  { of: /node_modules.cli-table3/, name: 'string-width', code: ownWidth },
  // Colours come from chalk.
  { of: /node_modules.cli-table3/, name: '@colors/colors/safe', code: '' },
];

/** Programs of tests and benchmarks are bundled so too. */
export function withoutUnused() {
  const place = '\0unused-';
  return {
    name: 'without-unused',
    resolveId(source, importer = '') {
      const at = unused.findIndex(
        ({ of, name }) =>
          of.test(importer) && (typeof name === 'string' ? name === source : name.test(source)),
      );
      return at < 0 ? undefined : `${place}${at}.cjs`;
    },
    load: (id) =>
      id.startsWith(place) ? unused[Number.parseInt(id.slice(place.length), 10)].code : undefined,
  };
}

/**
 * V8 reads what is in a function twice, unless the function is in parentheses and no arrow function: 4 ms for those that the build
 * puts around the CommonJS modules of undici.
 */
function readOnce() {
  const arrow = /__commonJSMin\(\(\(([\w, ]*)\) => \{/g;
  return {
    name: 'read-once',
    renderChunk: (code) => code.replace(arrow, '__commonJSMin((function ($1) {'),
  };
}

/** One character beyond Latin-1, in a comment too, makes V8 hold and parse a file as UTF-16: 0.3 ms for each of the large ones. */
function inAscii() {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return { name: 'in-ascii', renderChunk: (code) => code.replace(/[^\0-\x7f]/g, escaped) };
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

/** The page that --help shows, so that the launcher has it without loading the command line. */
function helpPage() {
  return {
    name: 'help-page',
    writeBundle() {
      // As in a pipe, whatever the environment of the build.
      const page = execFileSync(process.execPath, ['bin/petstore.js', 'help'], { env: {} });
      writeFileSync('dist/help.txt', page);
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
