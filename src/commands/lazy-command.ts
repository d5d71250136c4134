import { Command, type Option } from 'commander';
import { usageFailure } from '../errors.ts';
import { quotedUnlessKey } from '../text/quote.ts';
import { mayBeKey } from '../text/secret.ts';
import { commandWith } from '../text/shell.ts';
import { similarTo } from '../text/similar.ts';
import { commandPath, PetstoreHelp } from './help.ts';

const valueExamples: Readonly<Record<string, string>> = {
  '<duration>': '5m',
  '<number>': '10',
  '<url>': 'https://HOST/v1',
};
const unitOfTime = /^(?:[smh]|sec(?:ond)?s?|min(?:ute)?s?|hours?)$/;
const freeText = /^(?:id\|)?(name|value)$/;
const change = /^(?:delete|rm|remove|update|edit|rename)$/;
const cannotChange = 'The service cannot delete or change a category.';
const secretFlag = /^--?(?:api[-_]?)?(?:key|token|secret|password|bearer)(?!-fil)/i;
const keyInHistory =
  'A key on the command line stays in your shell history: replace it, and pass it to petstore auth login.';

/** Replaces Commander's complaints, in whose text no words could be told from those of a user. */
export class LazyCommand extends Command {
  load: (() => Promise<void>) | undefined;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name).helpCommand(false);
  }

  override createHelp(): PetstoreHelp {
    return new PetstoreHelp();
  }

  /** The first word is none of the commands. At the top it may be a verb without its group. */
  unknownCommand([word = '', next = ''] = this.args, pathOf = commandPath): never {
    const group = this.commands.find((below) => commandBelow(below, word));
    const names = this.commands.map((below) => below.name());
    const similar = commandBelow(this, similarTo(word, names));
    const verb = commandBelow(similar, next);
    const meant = group ? commandBelow(group, word) : (verb ?? similar);
    const isOfCategories = !this.parent || this.name() === 'categories';
    const hint = meant ? `Did you mean: ${pathOf(meant)}` : seeHelp(this);
    const message = `unknown command${quotedUnlessKey(word)}`;
    throw usageFailure(message, isOfCategories && change.test(word) ? cannotChange : hint);
  }

  unknownOption(word: string): never {
    const [option = ''] = /^(?:--[^=]*|-.)/s.exec(word) ?? [];
    const known = this.options.flatMap(({ long }) => long ?? []);
    if (known.includes(option)) throw usageFailure(`${option} takes no value`, seeHelp(this));
    const similar = option.startsWith('--') ? similarTo(option, known) : undefined;
    let hint = similar ? `Did you mean: ${commandPath(this)} ${similar}` : seeHelp(this);
    if (secretFlag.test(word)) hint = keyInHistory;
    throw usageFailure(`unknown option${mayBeKey(option.slice(2)) ? '' : ` ${option}`}`, hint);
  }

  missingArgument(name: string): never {
    throw usageFailure(`missing <${name}>`, seeHelp(this));
  }

  optionMissingArgument({ long, flags, argChoices: [choice] = [] }: Option): never {
    const example = choice ?? valueExamples[flags.replace(/^.* /, '')];
    const such = example === undefined ? '' : `, for example ${long} ${example}`;
    throw usageFailure(`${long} needs a value${such}`, seeHelp(this));
  }

  _excessArguments(words: readonly string[]): void {
    if (Reflect.get(this, '_allowExcessArguments')) return;
    const word = words[this.registeredArguments.length] ?? '';
    const given = this.optsWithGlobals();
    const number = this.options
      .filter(({ flags }) => flags.endsWith('<duration>'))
      .map((option) => given[option.attributeName()])
      .find((value) => /^\d+$/.test(value));
    const search = commandWith(`${commandPath(this)} --search`, word);
    const canSearch = this.options.some(({ long }) => long === '--search') && !mayBeKey(word);
    const [, kind] = freeText.exec(this.registeredArguments.at(-1)?.name() ?? '') ?? [];
    let hint = canSearch ? `Did you mean: ${search}` : seeHelp(this);
    if (kind) hint = `Put a ${kind} of several words in quotes.`;
    if (number && unitOfTime.test(word)) hint = `Write ${number}${word.charAt(0)}.`;
    throw usageFailure(`unexpected${quotedUnlessKey(word) || ' word'}`, hint);
  }
}

function seeHelp(command: Command): string {
  return `See: ${commandPath(command)} --help`;
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
