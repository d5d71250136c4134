import type { Command } from 'commander';
import type { Host } from '../../session/host.ts';
import { declared, flagOf } from '../../settings/names.ts';
import { listOf, pageWidth, printPage } from '../page.ts';
import { describeSetting } from '../setting-text.ts';

export function define(command: Command, host: Host): void {
  command.action(() => {
    const page = listOf(
      'Environment variables:',
      [...ofSettings, ...others],
      pageWidth(host.context),
    );
    return printPage(host, page);
  });
}

const ofSettings = Object.values(declared).flatMap((setting) => {
  const { variable, flags, alias } = setting;
  if (!variable) return [];
  // A switch for one of the values is shorter than the option.
  const options = alias && flags ? [flags.slice(0, 2), alias.flag] : flags ? [flagOf(flags)] : [];
  const overridden = options.length > 0 ? `; overridden by ${options.join(' and ')}` : '';
  return [[variable, `${describeSetting(setting)}${overridden}`] as const];
});

const others: readonly (readonly [variables: string, meaning: string])[] = [
  ['https_proxy, all_proxy', 'proxy for requests to the service; upper case works too'],
  ['no_proxy', 'hosts to reach without the proxy; upper case works too'],
  ['NODE_EXTRA_CA_CERTS', 'file with an additional certificate authority (CA)'],
  ['NO_COLOR', 'if set, disable colour, whatever FORCE_COLOR says'],
  ['FORCE_COLOR', 'if set, force colour, also in a pipe; 0 or false disables it'],
  ['TERM', 'dumb disables colour and the status line'],
  ['COLUMNS', 'width of help that is not shown on a terminal (default 80)'],
  ['LC_ALL, LC_CTYPE, LANG', 'locale: tables have frames only in UTF-8'],
  ['CI', 'if set, petstore never prompts'],
  ['XDG_CONFIG_HOME, APPDATA', 'parent of the settings folder'],
  ['XDG_STATE_HOME, LOCALAPPDATA', 'parent of the state folder'],
];
