import { type Argument, type Command, Help, type Option } from 'commander';
import type { Context } from '../context.ts';
import type { App } from '../session/app.ts';
import { commonHeading } from '../session/options.ts';

/** Commander's layout without the options that every command takes: `petstore help options` lists those. */
export class PetstoreHelp extends Help {
  override minWidthToWrap = 16;

  /** Removes blank lines between groups, so that the first page fits a terminal of 24 lines. */
  override formatHelp(command: Command, help: Help): string {
    const page = super.formatHelp(command, help);
    const about = super.commandDescription(command);
    const purpose = `${help.boxWrap(about, help.helpWidth ?? 80)}\n\n`;
    return purpose + (command.parent ? page : page.replace(/\n\n(?=(?:Account|Tools):\n)/g, '\n'));
  }

  override commandDescription(): string {
    return '';
  }

  override subcommandTerm(command: Command): string {
    return command.name();
  }

  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    return options.filter(({ helpGroupHeading }) => helpGroupHeading !== commonHeading);
  }

  override argumentDescription({ description, argChoices }: Argument): string {
    return describe(description, argChoices);
  }

  override optionDescription({ description, argChoices, defaultValue }: Option): string {
    const fallback = defaultValue === undefined ? '' : ` (default ${defaultValue})`;
    return describe(description, argChoices) + fallback;
  }
}

function describe(description: string, choices: readonly string[] = []): string {
  const text = [description, choices.join(', ')].filter(Boolean).join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines].join('\n  '));
}

export type Item = readonly [term: string, text: string];
type Note = string | readonly [heading: string, items: readonly Item[]];

export function addNotes(command: Command, notes: readonly Note[]): void {
  command.addHelpText('after', () => {
    const texts = notes.map((note) =>
      typeof note === 'string' ? wrap(command, note) : formatList(command, ...note),
    );
    return `\n${texts.join('\n\n')}`;
  });
}

export function formatList(command: Command, heading: string, items: readonly Item[]): string {
  const help = createHelp(command);
  const termWidth = Math.max(...items.map(([term]) => term.length));
  const lines = items.map(([term, text]) => help.formatItem(term, termWidth, describe(text), help));
  return [heading, ...lines].join('\n');
}

export function wrap(command: Command, text: string): string {
  return createHelp(command).boxWrap(text, widthFor(command));
}

function createHelp(command: Command): PetstoreHelp {
  return Object.assign(new PetstoreHelp(), { helpWidth: widthFor(command) });
}

function widthFor(command: Command): number {
  return command.configureOutput().getOutHelpWidth?.() ?? 80;
}

/** Returns the width of a terminal, and 80 for a wider one or a pipe. */
export function helpWidth({ stdout }: Context): number {
  return Math.min(80, stdout.columns ?? 80);
}

export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

export function helpPath(command: Command): string {
  return commandPath(command).replace('petstore', 'petstore help');
}

export function printPage({ sink }: App, page: string): Promise<void> {
  const lines = page.trimEnd().split('\n');
  const isHeading = (line: string, index: number) =>
    /^[A-Z].*:$/.test(line) && lines[index + 1]?.startsWith('  ');
  return sink.print(
    lines.map((text, index) => (isHeading(text, index) ? { style: 'bold', text } : text)),
  );
}
