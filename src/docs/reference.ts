import type { Command } from 'commander';
import { argumentsOf, optionItem, optionsOf, usageOf, verbsOf } from '../commands/help.ts';
import { settingRows } from '../commands/topics/environment.ts';
import { meanings } from '../commands/topics/exit-codes.ts';

/** The README with all that stands between markers drawn from the grown tree of commands. @throws Error when a marker is missing */
export function withReference(readme: string, program: Command): string {
  const parts = {
    commands: commandTable(program),
    options: commonOptions(program),
    'exit codes': table(['Exit code', 'Meaning'], meanings),
    settings: settingTable(),
  };
  return Object.entries(parts).reduce((text, [name, part]) => between(text, name, part), readme);
}

function between(text: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name}: npm run docs -->\n`, `<!-- end of ${name} -->`];
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error(`README.md has no place for ${name}`);
  return `${before}${begin}\n${part}\n\n${end}${after}`;
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((row) =>
    `|${row.map((cell) => ` ${cell.replaceAll('|', '\\|')} `).join('|')}|`.replaceAll('  |', ' |'),
  );
  return lines.join('\n').replaceAll('| --- ', '|---');
}

function code(text: string): string {
  return `\`${text}\``;
}
