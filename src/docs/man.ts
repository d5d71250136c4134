import type { Command } from 'commander';
import { examplesOf } from '../commands/examples.ts';
import { argumentsOf, optionItem, optionsOf, usageOf, verbsOf } from '../commands/help.ts';
import { notesOf } from '../commands/notes.ts';
import { variables } from '../commands/topics/environment.ts';
import { meanings } from '../commands/topics/exit-codes.ts';
import { version } from '../version.ts';

type Item = readonly [term: string, text: string];

/** The man page, in the macros of man(7), drawn from the grown tree of commands. */
export function manPage(program: Command): string {
  return [
    `.TH PETSTORE 1 "" "petstore ${version}"`,
    '.SH NAME',
    'petstore \\- manage the categories of the pet store service',
    '.SH SYNOPSIS',
    '.B petstore',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    text(
      'List, create and import categories, and know the outcome of every write. To try it without an account:',
    ),
    ...lines(examplesOf(program)),
    '.SH COMMANDS',
    ...verbsOf(program).flatMap(verbSection),
    '.SH OPTIONS',
    'All commands take these options.',
    ...list(optionsOf(program).common.map(optionItem)),
    '.SH ENVIRONMENT',
    ...list(variables),
    '.SH EXIT STATUS',
    ...list(meanings),
    '',
  ].join('\n');
}

function verbSection(verb: Command): string[] {
  return [
    `.SS ${text(usageOf(verb))}`,
    text(verb.description()),
    ...list([...argumentsOf(verb), ...optionsOf(verb).own.map(optionItem)]),
    ...notesOf(verb).flatMap((note) =>
      typeof note === 'string' ? ['.PP', text(note)] : ['.PP', text(note[0]), ...list(note[1])],
    ),
    '.PP',
    'Examples:',
    ...lines(examplesOf(verb)),
  ];
}

function list(items: readonly Item[]): string[] {
  return items.flatMap(([term, meaning]) => ['.TP', `.B ${text(term)}`, text(meaning)]);
}

function lines(shell: readonly string[]): string[] {
  return ['.PP', '.RS 4', '.nf', ...shell.map(text), '.fi', '.RE'];
}

/** Text as roff prints it: each character as it stands, each sentence on a line, and nothing taken for a request. */
function text(plain: string): string {
  const escaped = plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('. ', '.\n');
  return escaped.replace(/^\./, '\\&.');
}
