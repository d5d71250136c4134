import { type Command, Help } from 'commander';
import { type Setting, settings } from '../settings/settings.ts';
import { formatList, type Term, wrap } from './help.ts';

export const topics: Readonly<Record<string, (program: Command) => string>> = {
  options(program) {
    const help = new Help();
    const options = help.visibleOptions(program);
    const items = options.map((option): Term => [option.flags, help.optionDescription(option)]);
    const list = formatList(program, 'Options of all commands:', items);
    return [list, ...rules.map((rule) => wrap(program, rule))].join('\n\n');
  },
  'exit-codes': (program) =>
    [
      formatList(program, 'Exit codes:', exitCodes),
      wrap(
        program,
        'After 6: an import checks first, so run it again; a create only with --if-missing.',
      ),
    ].join('\n\n'),
  environment: (program) =>
    formatList(program, 'Environment variables (options come before them):', [
      ...Object.values(settings).flatMap((setting): readonly Term[] =>
        setting.variable ? [[setting.variable, describeSetting(setting)]] : [],
      ),
      ...otherVariables,
    ]),
};

const rules = [
  'They can be given before or after the command. If options contradict each other, the last one counts: --json -o csv prints CSV.',
  '--query picks from what --json prints, in the language of aws and az: --query "[?name==\'dog\'].id". Put strings in single quotes and numbers in backticks. With -o raw a single value is printed bare, for shells.',
  'A duration is 500ms, 30s, 2m, 1h or inf; a number without a unit is seconds.',
  'Some of them can also be set in the environment (petstore help environment) and in the settings (petstore help config set).',
];

/** Scripts rely on these. */
export const exitCodes: readonly Term[] = [
  ['0', 'Success, including an empty list'],
  ['1', 'Internal error: a bug in petstore'],
  [
    '2',
    'Wrong command line, settings or input, or you answered no. Nothing was sent, except: a name matched several categories, or --query failed after the request',
  ],
  ['3', 'Refused by the service: 400, 404, 409, 422 or any other 4xx but 408; no such category'],
  ['4', 'No API key, or the service rejected it (401, 403)'],
  [
    '5',
    'Network, TLS, timeout, 408, 5xx (75 if a read got a 503 with Retry-After), or an unexpected response',
  ],
  ['6', 'The outcome of a write is unknown: it may have been carried out'],
  [
    '7',
    'Import not finished: rows were refused or are left (75 if only the rate limit stopped it), or a name exists more than once. Also: diff found something to import',
  ],
  [
    '74',
    'Cannot write output or state (disk full, read-only), or trust it (damaged, of another user)',
  ],
  [
    '75',
    'Not now: the rate limit, another petstore command that creates, or a shared store that is away, for longer than --max-wait. Not done: run it again later',
  ],
  ['129', 'Hung up: the terminal was closed'],
  ['130', 'Interrupted (Ctrl-C)'],
  ['141', 'The reader of stdout went away'],
  ['143', 'Terminated'],
];

export function describeSetting({ help, form, choices }: Setting): string {
  return [help, form ?? choices?.join(', ')].filter(Boolean).join(': ');
}

const otherVariables: readonly Term[] = [
  ['PETSTORE_API_KEY', 'API key'],
  ['PETSTORE_CONFIG_DIR', 'settings folder'],
  ['PETSTORE_STATE_DIR', 'state folder'],
  ['https_proxy, all_proxy', 'proxy for requests to the service; upper case works too'],
  ['no_proxy', 'hosts to reach without the proxy; upper case works too'],
  ['NODE_EXTRA_CA_CERTS', 'file with an additional certificate authority (CA)'],
  ['NO_COLOR', 'if set, disable colour, whatever FORCE_COLOR says'],
  ['FORCE_COLOR', 'if set, force colour, also in a pipe; 0 or false disables it'],
  ['TERM', 'if dumb or empty, disable colour and the status line'],
  ['CI', 'if set, petstore asks no questions; 0 or false counts as not set'],
  ['XDG_CONFIG_HOME, APPDATA', 'parent of the settings folder'],
  ['XDG_STATE_HOME, LOCALAPPDATA', 'parent of the state folder'],
];
