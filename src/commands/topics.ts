import { type Command, Help } from 'commander';
import { extractFlag, type Setting, settings } from '../settings/settings.ts';
import { formatList, type Item, wrap } from './help.ts';

export const topics: Readonly<Record<string, (program: Command) => string>> = {
  options(program) {
    const help = new Help();
    const options = help.visibleOptions(program);
    const items = options.map((option): Item => [option.flags, help.optionDescription(option)]);
    const list = formatList(program, 'Options of all commands:', items);
    return [list, ...rules.map((rule) => wrap(program, rule))].join('\n\n');
  },
  'exit-codes': (program) => formatList(program, 'Exit codes:', exitCodes),
  environment: (program) =>
    formatList(program, 'Environment variables:', [...settingVariables(), ...otherVariables]),
};

const rules = [
  'They can be given before or after the command. If options contradict each other, the last one counts: --json -o csv prints CSV.',
  '--query picks from what --json prints, with JMESPath as in aws and az: --query "[?name==\'dog\'].id". Put strings in single quotes and numbers in backticks. With -o raw a single value is printed bare, for shells.',
  'A duration is 500ms, 30s, 2m, 1h or inf; a number without a unit is seconds.',
  'Some of them can also be set in the environment (petstore help environment) and in the settings (petstore help config set).',
];

/** Scripts rely on these. */
export const exitCodes: readonly Item[] = [
  ['0', 'Success, including an empty list'],
  ['1', 'Internal error: a bug in petstore'],
  [
    '2',
    'Invalid command line, settings or input, or you said no: nothing was sent. Also: an ambiguous name, or --query failed on the result',
  ],
  ['3', 'Refused by the service: 400, 404, 409, 422 or any other 4xx but 408; no such category'],
  ['4', 'No API key, or the service rejected it (401, 403)'],
  ['5', 'Network, TLS, timeout, 408, 5xx, or an unexpected response'],
  ['6', 'The outcome of a write is unknown: it may have been carried out'],
  [
    '7',
    'Import not finished: rows were refused or remain (75 if only the rate limit stopped it). Also: diff found something to import',
  ],
  ['74', 'Cannot write output or state (disk full, read-only, damaged)'],
  [
    '75',
    'Not now: rate limited, or another process was creating, or the shared store away. Not done: try again',
  ],
  ['129', 'Hung up: the terminal was closed'],
  ['130', 'Interrupted (Ctrl-C)'],
  ['141', 'The reader of stdout went away'],
  ['143', 'Terminated'],
];

function settingVariables(): readonly Item[] {
  return Object.values(settings).flatMap((setting): readonly Item[] => {
    const { variable, flags } = setting;
    if (!variable) return [];
    const flag = setting === settings.output ? '-o and --json' : flags && extractFlag(flags);
    const overridden = flag ? `; overridden by ${flag}` : '';
    return [[variable, `${describeSetting(setting)}${overridden}`]];
  });
}

export function describeSetting({ help, form, choices }: Setting): string {
  return [help, form ?? choices?.join(', ')].filter(Boolean).join(': ');
}

const otherVariables: readonly Item[] = [
  ['PETSTORE_API_KEY', 'API key; overridden by --api-key-file'],
  ['PETSTORE_CONFIG_DIR', 'settings folder'],
  ['PETSTORE_STATE_DIR', 'state folder'],
  ['https_proxy, all_proxy', 'proxy for requests to the service; upper case works too'],
  ['no_proxy', 'hosts to reach without the proxy; upper case works too'],
  ['NODE_EXTRA_CA_CERTS', 'file with an additional certificate authority (CA)'],
  ['NO_COLOR', 'if set, disable colour, whatever FORCE_COLOR says'],
  ['FORCE_COLOR', 'if set, force colour, also in a pipe; 0 or false disables it'],
  ['TERM', 'if dumb or empty, disable colour and the status line'],
  ['LC_ALL, LC_CTYPE, LANG', 'locale: tables have frames only in UTF-8'],
  ['CI', 'if set, petstore never prompts; 0 or false counts as not set'],
  ['XDG_CONFIG_HOME, APPDATA', 'parent of the settings folder'],
  ['XDG_STATE_HOME, LOCALAPPDATA', 'parent of the state folder'],
];
