/** Imports go one way: main > run > commands > session > pacing > api, output, settings > the ground. */
const ground =
  '^src/(append-file|claim|context|denied|errors|events|files|folders|formats|iso-time|json|lock|new-file|open-file|owner|place|plans|private-folder|programs|read-start|secret|shell|tail|temporary|too-many-files|unloadable|uptime|version)(\\.ts$|/)';
const room = (name) => `^src/${name}(\\.ts$|/)`;

/** `from` may import only what `to` lists (and packages, and its own room). */
function only(from, to, comment) {
  return {
    name: `${from}-imports`,
    comment,
    severity: 'error',
    from: { path: room(from) },
    to: { path: '^src/', pathNot: [room(from), ...to] },
  };
}

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'ground-imports',
      comment: 'The ground stands on nothing but itself.',
      severity: 'error',
      from: { path: ground },
      to: { path: '^src/', pathNot: [ground] },
    },
    only('api', [ground], 'The HTTP core knows neither commands nor how things are shown.'),
    only('pacing', [ground, room('api')], 'Pacing stands in front of the HTTP core.'),
    only('output', [ground], 'Showing things needs no knowledge of where they came from.'),
    only('input', [ground, room('api')], 'An input is read and judged without a session.'),
    only('import', [ground, room('api'), room('input')], 'An import needs a client and a journal.'),
    only('settings', [ground], 'Settings know nothing of requests.'),
    only('sandbox', [ground, '^src/api/resources\\.ts$'], 'The sandbox shares the resources only.'),
    only(
      'session',
      [ground, room('api'), room('pacing'), room('output'), room('settings'), room('sandbox')],
      'A session puts the parts together.',
    ),
    {
      name: 'command-groups-are-apart',
      comment: 'A command group never imports another one.',
      severity: 'error',
      from: { path: '^src/commands/([^/]+)/' },
      to: { path: '^src/commands/([^/]+)/', pathNot: '^src/commands/$1/' },
    },
    only('docs', [ground, room('commands')], 'Documents are drawn from the tree of commands.'),
    {
      name: 'documents-are-no-part-of-the-program',
      severity: 'error',
      from: { path: '^src/', pathNot: room('docs') },
      to: { path: room('docs') },
    },
    {
      name: 'nobody-imports-upwards',
      severity: 'error',
      from: { pathNot: '^(src/main\\.ts|src/run\\.ts|test/)' },
      to: { path: '^src/(main|run)\\.ts$' },
    },
    {
      name: 'commander-in-the-command-line-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(commands/|docs/|session|run\\.ts)' },
      to: { path: 'node_modules/commander' },
    },
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
