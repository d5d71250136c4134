import { Command, CommanderError, type HelpContext, type Option } from 'commander';
import { PetstoreHelp } from './help.ts';

export class UsageError extends CommanderError {
  constructor(
    code: string,
    message: string,
    readonly command: Command,
  ) {
    super(2, code, message);
  }
}

export class LazyCommand extends Command {
  load: (() => Promise<void>) | undefined;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name).helpCommand(false);
  }

  override createHelp(): PetstoreHelp {
    return new PetstoreHelp();
  }

  override error(message: string, { code = 'commander.error' } = {}): never {
    throw new UsageError(code, message, this);
  }

  /** Commander calls this with `error` if a verb is missing. */
  override help(context?: HelpContext | ((page: string) => string)): never {
    if (typeof context === 'object' && context.error) {
      throw new UsageError('commander.help', 'missing command', this);
    }
    return super.help();
  }
}

export async function loadCommand(command: Command): Promise<void> {
  const lazy = command as LazyCommand;
  const { load } = lazy;
  lazy.load = undefined;
  await load?.();
}

export function commandBelow({ commands }: Command, word: string): Command | undefined {
  return commands.find((below) => below.name() === word || below.aliases().includes(word));
}

/** Finds the option whose value comes after a word: `--output`, `-o`, `-qo`. */
export function optionWithValue({ options }: Command, word: string): Option | undefined {
  const last = word.replace(/^-[qvhV]+(?=\w$)/, '-');
  return options.find(({ required, long, short }) => required && (long === word || short === last));
}
