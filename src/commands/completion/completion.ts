import { Argument, type Command } from 'commander';
import type { Host } from '../../session/host.ts';
import { unloadable } from '../../text/unloadable.ts';
import { addExamples } from '../examples.ts';
import { candidates } from './candidates.ts';
import { filesWanted, type Shell, scripts, shells } from './scripts.ts';
import { wordsFrom } from './words.ts';

/**
 * Prints a shell's script, or for the words behind `--` what the last one may become, as the script asks at each Tab:
 * a line each, with what it means behind a space. No request, no key, no session.
 */
export function define(command: Command, host: Host): void {
  addExamples(command, [
    'petstore completion bash >> ~/.bashrc',
    'petstore completion zsh >> ~/.zshrc',
    'petstore completion fish > ~/.config/fish/completions/petstore.fish',
  ]);
  command
    .description(
      'Print the script that completes commands, options and values with the Tab key. It asks petstore at each Tab, so it ' +
        'has to be installed only once. It sends no request and reads no key.',
    )
    .usage('<shell>')
    .addArgument(new Argument('<shell>', 'bash, zsh, fish or powershell').choices(shells))
    .argument('[words...]')
    .action(async (shell: Shell, words: readonly string[]) => {
      const lines =
        words.length === 0 ? [scripts[shell]] : await answer(command, host, shell, words);
      if (lines.length > 0) await host.sink.print(lines);
    });
}

async function answer(
  command: Command,
  host: Host,
  shell: Shell,
  words: readonly string[],
): Promise<readonly string[]> {
  const { before, last, kept } = wordsFrom(shell, words);
  const program = command.parent ?? command;
  const found = await candidates(program, before, last, async (kind) => {
    const { knownValues } = await import('./values.ts').catch(unloadable);
    return knownValues(kind, host.context);
  });
  if (found === 'files') return [filesWanted];
  return found.map(({ value, about }) => [value.slice(kept), about].filter(Boolean).join(' '));
}
