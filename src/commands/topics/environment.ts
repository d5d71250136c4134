import type { Command } from 'commander';
import type { Host } from '../../session/host.ts';
import { listOf } from '../help.ts';

/** A setting, and each place where it can stand: a flag, then a variable, then the settings file. */
type Setting = {
  readonly name: string;
  readonly flags: readonly string[];
  readonly variables: readonly string[];
  /** Where it stands in the settings file; in Markdown. */
  readonly file: string;
};

/** README and man page say the same. */
export const settings: readonly Setting[] = [
  {
    name: 'profile',
    flags: ['--profile'],
    variables: ['PETSTORE_PROFILE'],
    file: '`default-profile`',
  },
  {
    name: 'base URL',
    flags: ['--base-url'],
    variables: ['PETSTORE_BASE_URL'],
    file: '`base-url`',
  },
  {
    name: 'API key',
    flags: ['--api-key-file'],
    variables: ['PETSTORE_API_KEY'],
    file: 'by `auth login`, in a file of its own, or `api-key-command`',
  },
  {
    name: 'output',
    flags: ['-o', '--json'],
    variables: ['PETSTORE_OUTPUT'],
    file: '`output`',
  },
  {
    name: 'longest wait',
    flags: ['--max-wait'],
    variables: ['PETSTORE_MAX_WAIT'],
    file: '`max-wait`',
  },
  {
    name: 'plan, for forecasts',
    flags: [],
    variables: [],
    file: '`plan`: `free`, `pro`, `business` or `N/min,M/day`',
  },
  {
    name: 'shared limit store',
    flags: [],
    variables: ['PETSTORE_LIMIT_STORE'],
    file: '`limit-store`: `redis://...` or `rediss://...`',
  },
  { name: 'settings folder', flags: [], variables: ['PETSTORE_CONFIG_DIR'], file: '' },
  { name: 'state folder', flags: [], variables: ['PETSTORE_STATE_DIR'], file: '' },
];

const others: readonly (readonly [variables: string, meaning: string])[] = [
  [
    'https_proxy, all_proxy',
    'the proxy on the way to the service, in small letters or in capitals',
  ],
  ['no_proxy', 'what is reached without it, in small letters or in capitals'],
  ['NODE_EXTRA_CA_CERTS', 'a file with a certificate authority of your own'],
  ['NO_COLOR, FORCE_COLOR, TERM', 'whether there are colours'],
  ['LC_ALL, LC_CTYPE, LANG', 'whether frames are drawn in UTF-8 or in ASCII'],
  ['CI', 'when set, nothing is asked'],
  ['XDG_CONFIG_HOME, APPDATA', 'where the settings folder is'],
  ['XDG_STATE_HOME, LOCALAPPDATA', 'where the state folder is'],
];

/** Each variable and what it means, for a terminal and the man page. */
export const variables: readonly (readonly [variables: string, meaning: string])[] = [
  ...settings.flatMap(({ name, flags, variables }) =>
    variables.map((variable) => {
      const beaten = flags.length > 0 ? `, where no ${flags.join(' or ')} tells it` : '';
      return [variable, `${name}${beaten}`] as const;
    }),
  ),
  ...others,
];

export function environment(command: Command, { sink }: Host): void {
  command.action(() => sink.print([listOf('Environment variables:', variables)]));
}
