import type { Command } from 'commander';
import type { App } from '../../session/app.ts';
import { flagOf, settings } from '../../settings/table.ts';
import { listOf, pageWidth, printPage } from '../page.ts';
import { describeSetting } from '../setting-text.ts';

export function define(command: Command, app: App): void {
  command.action(() => {
    const page = listOf(
      'Environment variables:',
      [...ofSettings, ...others],
      pageWidth(app.context),
    );
    return printPage(app, page);
  });
}

const ofSettings = Object.values(settings).flatMap((setting) => {
  const { variable, flags, option } = setting;
  if (!variable) return [];
  const flag = option === 'output' ? '-o and --json' : flags && flagOf(flags);
  const overridden = flag ? `; overridden by ${flag}` : '';
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
