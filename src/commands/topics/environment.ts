import type { Command } from 'commander';
import type { Host } from '../../session/host.ts';
import { commonOptions } from '../../session/options.ts';
import { declared, flagOf } from '../../settings/names.ts';
import { listOf, pageWidth, printPage } from '../page.ts';
import { describeSetting } from '../setting-text.ts';

/** Each setting, and each place where it can be given: an option, then a variable, then the settings file; `stored` in Markdown. */
export const settingRows = Object.entries(declared)
  .filter(([, { title }]) => title !== undefined)
  .map(([name, setting]) => ({ name, setting, ...setting }))
  .map(({ name, setting, title, purpose, flags, alias, variable, file, stored }) => ({
    meaning: describeSetting(setting),
    title: [title, purpose].filter(Boolean).join(', '),
    // What has a switch for one of its values is called as shortly as that.
    flags: alias && flags ? [flags.slice(0, 2), alias.flag] : flags ? [flagOf(flags)] : [],
    variables: variable ? [variable] : [],
    stored: [file && `\`${name}\``, stored].filter(Boolean).join(': '),
  }));

const others: readonly (readonly [variables: string, meaning: string])[] = [
  ['https_proxy, all_proxy', 'proxy for requests to the service; upper case works too'],
  ['no_proxy', 'hosts to reach without the proxy; upper case works too'],
  ['NODE_EXTRA_CA_CERTS', 'file with an additional certificate authority (CA)'],
  ['NO_COLOR', 'if set, disable colour, whatever FORCE_COLOR says'],
  ['FORCE_COLOR', 'if set, force colour, also in a pipe; 0 or false disables it'],
  ['TERM', 'dumb disables colour and the status line'],
  ['COLUMNS', 'width of help that is not shown on a terminal (default 80)'],
  ['LC_ALL, LC_CTYPE, LANG', 'locale: table frames are UTF-8 or ASCII'],
  ['CI', 'if set, petstore never prompts'],
  ['VISUAL, EDITOR', 'editor of config edit; VISUAL first (default vi)'],
  ['XDG_CONFIG_HOME, APPDATA', 'parent of the settings folder'],
  ['XDG_STATE_HOME, LOCALAPPDATA', 'parent of the state folder'],
];

/** Each variable and what it means, for a terminal and the man page. */
export const variables: readonly (readonly [variables: string, meaning: string])[] = [
  ...settingRows.flatMap(({ meaning, flags, variables }) =>
    variables.map((variable) => {
      const beaten = flags.length > 0 ? `; overridden by ${flags.join(' and ')}` : '';
      return [variable, `${meaning}${beaten}`] as const;
    }),
  ),
  ...others,
];

export function define(command: Command, host: Host): void {
  command.action(() => {
    const page = listOf('Environment variables:', variables, pageWidth(host.context));
    return printPage(host, page, commonOptions(command));
  });
}
