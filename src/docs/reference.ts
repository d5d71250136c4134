import type { Command } from 'commander';
import { argumentsOf, optionItem, optionsOf, usageOf, verbsOf } from '../commands/help.ts';
import { settingRows } from '../commands/topics/environment.ts';
import { meanings } from '../commands/topics/exit-codes.ts';
import { between, table } from './table.ts';

/** What is drawn from the grown tree of commands, and the page it is on. */
const parts = {
  commands: { page: 'docs/commands.md', draw: commandTable },
  options: { page: 'docs/commands.md', draw: commonOptions },
  'exit codes': { page: 'README.md', draw: () => table(['Exit code', 'Meaning'], meanings) },
  settings: { page: 'docs/settings.md', draw: settingTable },
} satisfies Record<string, { page: string; draw: (program: Command) => string }>;

/** All pages that have something between markers. */
export const drawnPages = [...new Set(Object.values(parts).map(({ page }) => page))];

/** A page with all that is between its markers drawn from the grown tree of commands. @throws Error when a marker is missing */
export function withReference(page: string, text: string, program: Command): string {
  return Object.entries(parts)
    .filter(([, part]) => part.page === page)
    .reduce((drawn, [name, { draw }]) => between(page, drawn, name, draw(program)), text);
}

function commandTable(program: Command): string {
  const rows = verbsOf(program).map((verb) => {
    const args = argumentsOf(verb).map(([name, text]) => [`<${name}>`, text]);
    const options = optionsOf(verb).own.map(optionItem);
    const parts = [...args, ...options].map(([term = '', text]) => `${code(term)} ${text}`);
    return [
      code(usageOf(verb).replace(' [options]', '')),
      [verb.description(), ...parts].join('<br>'),
    ];
  });
  return table(['Command', 'What it does'], rows);
}

function commonOptions(program: Command): string {
  const items = optionsOf(program).common.map(optionItem);
  const rows = items.map(([flags, text]) => [code(flags), text]);
  return table(['Option of all commands', 'What it does'], rows);
}

function settingTable(): string {
  const rows = settingRows.map(({ title, flags, variables, stored }) => [
    title,
    flags.map(code).join(', '),
    variables.map(code).join(', '),
    stored,
  ]);
  return table(['Setting', 'Flag', 'Environment', 'Settings file'], rows);
}

function code(text: string): string {
  return `\`${text}\``;
}
