import type { Command } from 'commander';
import type { App } from '../../session/app.ts';
import { optionItem, optionsOf } from '../help.ts';
import { listOf, pageWidth, printPage, wrap } from '../page.ts';

/** What holds for them all. */
const rules = [
  'They can be given before or after the command. Of options that contradict each other the last one counts: --json -o csv prints CSV.',
  '--query takes JMESPath, the language of aws and az, and picks from what --json prints: --query "[?name==\'dog\'].id". Strings are in single quotes, numbers in backticks. With -o raw a value is printed alone, for a shell.',
  'A duration is 500ms, 30s, 2m, 1h or inf; a number without a unit is seconds.',
  'Profile, base URL, API key, output and max-wait can also be set in the environment (petstore help environment) and in the settings (petstore help config).',
];

export function define(command: Command, app: App): void {
  command.action(() => {
    const width = pageWidth(app.context);
    const items = optionsOf(command).common.map(optionItem);
    const page = [
      listOf('Options of all commands:', items, width),
      ...rules.map((rule) => wrap(rule, width)),
    ].join('\n\n');
    return printPage(app, page);
  });
}
