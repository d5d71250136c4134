import { type Argument, type Command, Help, type Option } from 'commander';
import type { Context } from '../context.ts';
import type { App } from '../session/app.ts';
import { commonHeading } from '../session/options.ts';

/** In characters. With less room beside a term, its meaning goes below. */
const minMeaningWidth = 24;

/** Commander's layout without the options that every command takes: `petstore help options` lists those. */
export class PetstoreHelp extends Help {
  override minWidthToWrap = 1;

  /** Removes blank lines between groups, so that the first page fits a terminal of 24 lines. */
  override formatHelp(command: Command, help: Help): string {
    const page = super.formatHelp(command, help);
    return command.parent ? page : page.replace(/\n\n(?=(?:Account|Tools):\n)/g, '\n');
  }

  override commandUsage(command: Command): string {
    return super.commandUsage(command).replace('[options] [command]', '<command> [options]');
  }

  override styleUsage(usage: string): string {
    return this.boxWrap(usage, (this.helpWidth ?? 80) - 9).replaceAll('\n', '\n  ');
  }

  override subcommandTerm(command: Command): string {
    return command.name();
  }

  /** Commander also searches these for "Did you mean exit-codes?", when no page is rendered and there is no width. */
  override visibleCommands(command: Command): Command[] {
    return this.helpWidth === undefined ? [...command.commands] : super.visibleCommands(command);
  }

  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    if (this.helpWidth === undefined) return options;
    return options.filter(({ helpGroupHeading }) => helpGroupHeading !== commonHeading);
  }

  override argumentDescription({ description, argChoices }: Argument): string {
    return describe(description, argChoices);
  }

  override optionDescription({ description, argChoices, defaultValue }: Option): string {
    const fallback = defaultValue === undefined ? '' : ` (default ${defaultValue})`;
    return describe(description, argChoices) + fallback;
  }

  /** Leaves indented lines as they are: they are commands to copy. */
  override boxWrap(text: string, width: number): string {
    const wrap = (line: string) => (line.startsWith('  ') ? line : super.boxWrap(line, width));
    return text.split('\n').map(wrap).join('\n');
  }

  override formatItem(term: string, termWidth: number, text: string, help: Help): string {
    const width = this.helpWidth ?? 80;
    if (width - termWidth - 4 >= minMeaningWidth) {
      return super.formatItem(term, termWidth, text, help);
    }
    const indent = '\n      ';
    return `  ${term}${indent}${this.boxWrap(text, width - 6).replaceAll('\n', indent)}`;
  }
}

function describe(description: string, choices: readonly string[] = []): string {
  return [description, choices.join(', ')].filter(Boolean).join(': ');
}

export function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines].join('\n  '));
}

type Note = string | readonly [heading: string, items: readonly Item[]];

export function addNotes(command: Command, notes: readonly Note[]): void {
  command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    const texts = notes.map((note) =>
      typeof note === 'string' ? wrap(note, width) : listOf(...note, width),
    );
    return `\n${texts.join('\n\n')}`;
  });
}

export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Returns the width of the terminal, or COLUMNS in a pipe. Lines longer than 100 are hard to read. */
export function helpWidth({ stdout, env }: Context): number {
  return Math.min(100, Math.max(40, stdout.columns ?? (Number(env.COLUMNS) || 80)));
}

export type Item = readonly [term: string, text: string];

export function listOf(heading: string, items: readonly Item[], width: number): string {
  const help = helpOf(width);
  const termWidth = Math.max(...items.map(([term]) => term.length));
  const lines = items.map(([term, text]) => help.formatItem(term, termWidth, text, help));
  return [heading, ...lines].join('\n');
}

export function wrap(text: string, width: number): string {
  return helpOf(width).boxWrap(text, width);
}

/** Renders commands after their label, or below it where there is no room: each in one piece, to be copied. */
export function pointer(label: string, commands: readonly string[], width: number): string {
  const line = `${label} ${commands.join(', ')}`;
  return line.length <= width ? line : [wrap(label.trimEnd(), width), ...commands].join('\n  ');
}

function helpOf(width: number): PetstoreHelp {
  return Object.assign(new PetstoreHelp(), { helpWidth: width });
}

export function printPage({ sink }: App, page: string): Promise<void> {
  const lines = page.trimEnd().split('\n');
  const isHeading = (line: string, index: number) =>
    /^[A-Z].*:$/.test(line) && lines[index + 1]?.startsWith('  ');
  return sink.print(
    lines.map((text, index) => (isHeading(text, index) ? { style: 'bold', text } : text)),
  );
}
