import type { Command } from 'commander';
import { examplesOf } from '../commands/examples.ts';
import { aliasOf, argumentsOf, optionItem, optionsOf, usageOf, verbsOf } from '../commands/help.ts';
import { notesOf } from '../commands/notes.ts';
import { settingRows, variables } from '../commands/topics/environment.ts';
import { meanings } from '../commands/topics/exit-codes.ts';
import { version } from '../version.ts';
import { files, importing, limiting } from './chapters.ts';

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
      'List, create, import and export categories, and know the outcome of every write. To try it without an account:',
    ),
    ...lines(examplesOf(program)),
    '.SH COMMANDS',
    ...verbsOf(program).flatMap(verbSection),
    '.SH OPTIONS',
    text(
      'All commands take these options, before or after the command. Of options that contradict each other the last one counts. A duration is 500ms, 30s, 2m, 1h or inf; a number without a unit is seconds.',
    ),
    ...list(optionsOf(program).common.map(optionItem)),
    '.SH SETTINGS',
    text(
      'A flag comes before the environment, the environment before the profile in the settings file, and that before the default. Set them with petstore config set; petstore config list shows what is in force and where it comes from.',
    ),
    ...list(settingRows.map(settingItem)),
    '.SH IMPORT',
    ...paragraphs(importing),
    '.SH RATE LIMIT',
    ...paragraphs(limiting),
    '.SH ENVIRONMENT',
    ...list(variables),
    '.SH EXIT STATUS',
    ...list(meanings),
    '.SH FILES',
    ...list(files),
    '',
  ].join('\n');
}

function verbSection(verb: Command): string[] {
  const alias = aliasOf(verb);
  return [
    `.SS ${asPrinted(usageOf(verb))}`,
    text(verb.description()),
    ...list([...argumentsOf(verb), ...optionsOf(verb).own.map(optionItem)]),
    ...notesOf(verb).flatMap((note) =>
      typeof note === 'string' ? ['.PP', text(note)] : ['.PP', text(note[0]), ...list(note[1])],
    ),
    ...(alias === undefined ? [] : ['.PP', text(`Alias: ${alias}`)]),
    '.PP',
    'Examples:',
    ...lines(examplesOf(verb)),
  ];
}

function settingItem({ title, flags, variables, stored }: (typeof settingRows)[number]): Item {
  const places = [
    flags.length > 0 && `option ${flags.join(', ')}`,
    variables.length > 0 && `environment ${variables.join(', ')}`,
    stored && `settings file ${stored.replaceAll('`', '')}`,
  ];
  return [title, places.filter(Boolean).join('; ')];
}

function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((paragraph, n) => [...(n > 0 ? ['.PP'] : []), text(paragraph)]);
}

function list(items: readonly Item[]): string[] {
  return items.flatMap(([term, meaning]) => ['.TP', `.B ${asPrinted(term)}`, text(meaning)]);
}

function lines(shell: readonly string[]): string[] {
  return ['.PP', '.RS 4', '.nf', ...shell.map(asPrinted), '.fi', '.RE'];
}

/** Each sentence on a line of its own, and none longer than 80 bytes. */
function text(plain: string): string {
  return plain
    .split(/(?<=[^.]\.) /)
    .map((sentence) =>
      asPrinted(sentence)
        .replace(/(.{1,79})( |$)/g, '$1\n')
        .trimEnd(),
    )
    .join('\n')
    .replace(/^\./gm, '\\&.');
}

/** One line as roff prints it: each character as it is, and nothing taken for a request. */
function asPrinted(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replace(/^\./, '\\&.');
}
