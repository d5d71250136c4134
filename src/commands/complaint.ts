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

  /** A command is missing: who runs this decides whether that asks for help. */
  override help(): never {
    throw new UsageError('commander.help', '', this);
  }

  override error(message: string, { code = 'commander.error' }: { code?: string } = {}): never {
    throw new UsageError(code, message, this);
  }
}
