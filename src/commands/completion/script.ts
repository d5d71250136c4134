import type { Command } from 'commander';
import type { App } from '../../session/app.ts';
import { addExamples } from '../examples.ts';
import { candidates } from './candidates.ts';
import { filesWanted, type Shell, scripts } from './scripts.ts';
import { knownValues } from './values.ts';
import { wordsFrom } from './words.ts';

const examples: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    "echo 'source <(petstore completion bash)' >> ~/.bashrc",
    'source <(petstore completion bash)',
  ],
  zsh: [
    "echo 'source <(petstore completion zsh)' >> ~/.zshrc",
    'petstore completion zsh > _petstore',
  ],
  fish: [
    'petstore completion fish > ~/.config/fish/completions/petstore.fish',
    'petstore completion fish > petstore.fish',
  ],
  powershell: [
    'petstore completion powershell >> $PROFILE',
    'petstore completion powershell | Out-String | Invoke-Expression',
  ],
};

/**
 * Prints a shell's script, or for the words after `--` what the last one may become, as the script asks at each Tab:
 * a line each, with what it means after a space. No request, no key, no session.
 */
export function define(command: Command, app: App): void {
  const shell = command.name() as Shell;
  addExamples(command, examples[shell]);
  command
    .description(
      `${command.summary()}, which runs petstore at each Tab, so that it has to be set up only once. It sends no request ` +
        'and reads no API key.',
    )
    .usage('[options]')
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const lines =
        words.length === 0 ? [scripts[shell]] : await complete(command, app, shell, words);
      if (lines.length > 0) await app.sink.print(lines);
    });
}

async function complete(
  command: Command,
  app: App,
  shell: Shell,
  words: readonly string[],
): Promise<readonly string[]> {
  const { before, last, kept } = wordsFrom(shell, words);
  const program = command.parent?.parent ?? command;
  const found = await candidates(program, before, last, async (wanted) => {
    return knownValues(wanted, app.context);
  });
  if (found === 'files') return [filesWanted];
  return found.map(({ value, about }) => [value.slice(kept), about].filter(Boolean).join(' '));
}
