import type { Command } from 'commander';
import type { Host } from '../../session/host.ts';
import { declared, flagOf } from '../../settings/names.ts';
import { listOf } from '../help.ts';

/** Each setting, and each place where it can be given: an option, then a variable, then the settings file; `stored` in Markdown. */
export const settingRows = Object.entries(declared)
  .filter(([, { title }]) => title !== undefined)
  .map(([name, { title, purpose, flags, alias, variable, file, stored }]) => ({
    title: [title, purpose].filter(Boolean).join(', '),
    // What has a switch for one of its values is called as shortly as that.
    flags: alias && flags ? [flags.slice(0, 2), alias.flag] : flags ? [flagOf(flags)] : [],
    variables: variable ? [variable] : [],
    stored: [file && `\`${name}\``, stored].filter(Boolean).join(': '),
  }));

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
  ...settingRows.flatMap(({ title, flags, variables }) =>
    variables.map((variable) => {
      const beaten = flags.length > 0 ? `, where no ${flags.join(' or ')} tells it` : '';
      return [variable, `${title}${beaten}`] as const;
    }),
  ),
  ...others,
];

export function define(command: Command, { sink }: Host): void {
  command.action(() => sink.print([listOf('Environment variables:', variables)]));
}
