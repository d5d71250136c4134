import { Command } from 'commander';

/** A command whose options and action are defined when it is called. */
export class LazyCommand extends Command {
  load: (() => Promise<void>) | undefined;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name);
  }
}

export async function loadCommand(command: Command): Promise<void> {
  const lazy = command as LazyCommand;
  const { load } = lazy;
  lazy.load = undefined;
  await load?.();
}

export function commandBelow(command: Command | undefined, word = ''): Command | undefined {
  return command?.commands.find((below) => below.name() === word || below.aliases().includes(word));
}
