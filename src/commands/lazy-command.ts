import { Command, type Option } from 'commander';
import { PetstoreHelp } from './help.ts';
import {
  describeExcess,
  describeMissingArgument,
  describeMissingValue,
  describeUnknownCommand,
  describeUnknownOption,
} from './usage-error.ts';

/** Replaces Commander's complaints, in whose text no words could be told from those of a user. */
export class LazyCommand extends Command {
  load: (() => Promise<void>) | undefined;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name).helpCommand(false);
  }

  override createHelp(): PetstoreHelp {
    return new PetstoreHelp();
  }

  unknownCommand(): never {
    throw describeUnknownCommand(this, this.args);
  }

  unknownOption(word: string): never {
    throw describeUnknownOption(this, word);
  }

  missingArgument(name: string): never {
    throw describeMissingArgument(this, name);
  }

  optionMissingArgument(option: Option): never {
    throw describeMissingValue(this, option);
  }

  _excessArguments(words: readonly string[]): void {
    if (Reflect.get(this, '_allowExcessArguments')) return;
    throw describeExcess(this, words[this.registeredArguments.length] ?? '');
  }
}

export async function loadCommand(command: Command): Promise<void> {
  const lazy = command as LazyCommand;
  const { load } = lazy;
  lazy.load = undefined;
  await load?.();
}
