import { Command } from 'commander';
import type { Host } from '../session/host.ts';
import { addExamples } from './examples.ts';
import { formatHelp } from './help.ts';
import { plantCommands } from './index.ts';

/** The whole command line; `onText` gets what Commander would print. It throws where it would exit. */
export function createProgram(host: Host, onText: (text: string) => void): Command {
  const program = new Command('petstore')
    .description('Administer the categories of the pet store service.')
    .helpCommand(false)
    .configureHelp({ formatHelp })
    .exitOverride()
    .configureOutput({ writeOut: onText, writeErr: onText, outputError: () => {} })
    .enablePositionalOptions();
  addExamples(program, ['petstore categories list --profile sandbox']);
  plantCommands(program, host);
  return program;
}
