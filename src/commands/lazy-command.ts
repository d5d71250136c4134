import { Command } from 'commander';
import { PetstoreHelp } from './help.ts';
import { describeUsageError } from './usage-error.ts';

export class LazyCommand extends Command {
  load: (() => Promise<void>) | undefined;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name).helpCommand(false);
  }

  override createHelp(): PetstoreHelp {
    return new PetstoreHelp();
  }

  override error(message: string): never {
    throw describeUsageError(this, message);
  }
}

export async function loadCommand(command: Command): Promise<void> {
  const lazy = command as LazyCommand;
  const { load } = lazy;
  lazy.load = undefined;
  await load?.();
}
