import { Command, CommanderError } from 'commander';

/** What Commander has to say against a command line, and the command that it concerns. */
export class UsageError extends CommanderError {
  constructor(
    code: string,
    message: string,
    readonly command: Command,
  ) {
    super(2, code, message);
  }
}

/** A command whose complaints name it, since Commander's own are sentences for a terminal. */
export class ComplainingCommand extends Command {
  override createCommand(name?: string): Command {
    return new ComplainingCommand(name);
  }

  override error(message: string, { code = 'commander.error' }: { code?: string } = {}): never {
    throw new UsageError(code, message, this);
  }
}
