import { type Command, Help, type HelpConfiguration } from 'commander';
import type { Context } from '../context.ts';
import { commonHeading } from '../session/options.ts';
import type { App } from '../session/session.ts';

/** Commander's own layout, without the options that every command takes: `petstore help options` lists those. */
export const layout: HelpConfiguration = {
  minWidthToWrap: 8,
  subcommandTerm: (command) => command.name(),
  formatHelp(command, help) {
    // Only here: what Commander suggests for a mistyped option may be one of every command.
    help.visibleOptions = listOwnOptions;
    return new Help().formatHelp(command, help);
  },
};

function listOwnOptions(command: Command) {
  const options = new Help().visibleOptions(command);
  return options.filter(({ helpGroupHeading }) => helpGroupHeading !== commonHeading);
}

export function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines].join('\n  '));
}

export type Term = readonly [term: string, text: string];
export type Note = string | readonly [heading: string, items: readonly Term[]];

export function addNotes(command: Command, notes: readonly Note[]): void {
  const format = (note: Note) =>
    typeof note === 'string' ? wrap(command, note) : formatList(command, ...note);
  command.addHelpText('after', () => `\n${notes.map(format).join('\n\n')}`);
}

export function formatList(command: Command, heading: string, items: readonly Term[]): string {
  const help = createHelp(command);
  const termWidth = Math.max(...items.map(([term]) => term.length));
  const lines = items.map(([term, text]) => help.formatItem(term, termWidth, text, help));
  return [heading, ...lines].join('\n');
}

export function wrap(command: Command, text: string): string {
  const help = createHelp(command);
  return help.boxWrap(text, help.helpWidth ?? 80);
}

function createHelp(command: Command): Help {
  const help = command.createHelp();
  const helpWidth = command.configureOutput().getOutHelpWidth?.() ?? 80;
  help.prepareContext({ helpWidth });
  return help;
}

export function helpWidth({ stdout }: Context): number {
  return Math.min(80, stdout.columns ?? 80);
}

export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

export function printPage({ sink }: App, page: string): Promise<void> {
  const lines = page.trimEnd().split('\n');
  const isHeading = (line: string, index: number) =>
    /^[A-Z].*:$/.test(line) && lines[index + 1]?.startsWith('  ');
  return sink.print(
    lines.map((text, index) => (isHeading(text, index) ? { style: 'bold', text } : text)),
  );
}
