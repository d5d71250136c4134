import type { Command } from 'commander';
import type { App } from '../session/app.ts';
import { ComplainingCommand } from './complaint.ts';
import { addExamples } from './examples.ts';
import { formatHelp } from './format-help.ts';
import { addCommands } from './index.ts';
import { pageWidth } from './page.ts';

/**
 * The whole command line, or as much of it as the words on it need; `onText` gets what Commander would print. It throws
 * where it would exit.
 */
export function createProgram(
  app: App,
  onText: (text: string) => void,
  words: readonly string[] = [],
): Command {
  const program = new ComplainingCommand('petstore')
    .description('Manage the categories of the pet store service.')
    .helpCommand(false)
    .configureHelp({ formatHelp })
    .exitOverride()
    .configureOutput({
      writeOut: onText,
      writeErr: onText,
      outputError: () => {},
      getOutHelpWidth: () => pageWidth(app.context),
    })
    .enablePositionalOptions();
  addExamples(program, ['petstore categories list --profile sandbox']);
  addCommands(program, app, words);
  return program;
}
