/** Imports go one way: main > run > commands > session > import, sandbox, settings, pacing > api, output, disk > json, text. */
const words = '^src/(context|deadline|errors|events|formats|plans|version)\\.ts$';
const room = (name) => `^src/${name}(\\.ts$|/)`;

/** Each room, and the rooms that it may import besides its own and the words that all share. */
const rooms = {
  text: [],
  json: ['text'],
  disk: ['text'],
  query: ['json', 'text'],
  output: ['query', 'json', 'text'],
  api: ['json', 'text'],
  node: ['api', 'disk', 'text'],
  pacing: ['api', 'disk', 'text'],
  settings: ['json', 'disk', 'text'],
  sandbox: ['json', 'disk', 'text', 'api/resources'],
  import: ['api', 'json', 'disk', 'text'],
  session: ['api', 'pacing', 'output', 'query', 'settings', 'sandbox', 'disk', 'text'],
};

/** Packages that one place alone works with, and that place: all else has what it needs of them from there. */
const packages = {
  '@jmespath-community/jmespath': 'query/',
  commander: '(commands/|docs/|session|run\\.ts)',
  chalk: 'output/',
  conf: 'settings/',
  'cross-spawn': 'node/',
  ora: 'output/',
  undici: 'node/',
  'cli-table3': 'output/',
  vega: 'docs/figures/',
  'vega-lite': 'docs/figures/',
};

function onlyIn(name, places) {
  return {
    name: `${name}-in-its-place`,
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/${places}` },
    to: { path: `node_modules/${name}/` },
  };
}

function only(from, to) {
  return {
    name: `${from}-imports`,
    severity: 'error',
    from: { path: room(from) },
    to: { path: '^src/', pathNot: [words, room(from), ...to.map(room)] },
  };
}

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'words-import',
      comment: 'What all rooms talk about needs none of them.',
      severity: 'error',
      from: { path: words },
      to: { path: '^src/', pathNot: [words] },
    },
    ...Object.entries(rooms).map(([from, to]) => only(from, to)),
    {
      name: 'the-store-can-go',
      comment: 'Only who opens a limit store knows of it.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(pacing/store|session|commands/doctor)/'] },
      to: { path: '^src/pacing/store/' },
    },
    {
      name: 'command-groups-are-apart',
      comment: 'A command group never imports another one.',
      severity: 'error',
      from: { path: '^src/commands/([^/]+)/' },
      to: { path: '^src/commands/([^/]+)/', pathNot: '^src/commands/$1/' },
    },
    {
      name: 'documents-are-drawn-from-commands',
      severity: 'error',
      from: { path: room('docs') },
      to: { path: '^src/', pathNot: [words, room('docs'), room('commands')] },
    },
    {
      name: 'documents-are-no-part-of-the-program',
      severity: 'error',
      from: { path: '^src/', pathNot: room('docs') },
      to: { path: room('docs') },
    },
    {
      name: 'the-real-world-comes-from-main',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main\\.ts$', room('node')] },
      to: { path: room('node') },
    },
    {
      name: 'no-imports-upwards',
      severity: 'error',
      from: { pathNot: '^(src/main\\.ts|src/run\\.ts|test/)' },
      to: { path: '^src/(main|run)\\.ts$' },
    },
    ...Object.entries(packages).map(([name, places]) => onlyIn(name, places)),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
