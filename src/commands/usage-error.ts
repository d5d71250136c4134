import type { Command } from 'commander';
import { type Failure, usageFailure } from '../errors.ts';
import { commonHeading } from '../session/options.ts';
import { nearest } from '../text/nearest.ts';
import { quotedUnlessKey } from '../text/secret.ts';
import { pathOf } from './help.ts';
import type { UsageError } from './lazy-command.ts';

const secretFlag = /^--?(?:api[-_]?)?(?:key|token|secret|password|bearer)(?!-file)/i;
const keyInHistory =
  'A key on the command line is in your shell history now: replace it, then run petstore auth login';

/** Turns Commander's complaint into a failure, without words that may be an API key. `flags` are the words before `--`. */
export function describeUsageError(
  { code, message, command }: UsageError,
  flags: readonly string[],
): Failure {
  const path = pathOf(command);
  const help = `See: ${path} --help`;
  const usage = `Usage: ${command.createHelp().commandUsage(command)}`;
  const complaint = message.replace(/^error: /, '');
  const [, similar] = /\n\(Did you mean (?:one of )?([\w-]+)[\w, -]*\?\)$/.exec(message) ?? [];
  switch (code) {
    case 'commander.help': {
      if (!command.parent) return usageFailure('no command given', help);
      const names = command.commands.map((below) => below.name());
      return usageFailure(`missing command after ${path}`, `One of: ${names.join(', ')}`);
    }
    case 'commander.unknownCommand': {
      const [word = ''] = command.args;
      const isNear = similar !== undefined && /^[\w-]+$/.test(word);
      const named = isNear ? ` "${word}"` : quotedUnlessKey(word);
      const where = command.parent ? ` for ${path}` : '';
      const hint = isNear ? `Did you mean ${path} ${similar}?` : help;
      return usageFailure(`unknown command${named}${where}`, hint);
    }
    case 'commander.unknownOption': {
      const [, option = ''] = /'(--[^=']*|-.)/s.exec(message) ?? [];
      const isKnown = command.options.some(({ long }) => long === option);
      const hint = similar ? `Did you mean ${similar}?` : help;
      return usageFailure(
        isKnown ? `${option} takes no value` : `unknown option ${option}`,
        flags.some((word) => secretFlag.test(word)) ? keyInHistory : hint,
      );
    }
    case 'commander.missingArgument':
      return usageFailure(complaint.replace(/'(.*)'$/, '<$1>'), usage);
    case 'commander.excessArguments': {
      const { args, registeredArguments } = command;
      const quoted = quotedUnlessKey(args[registeredArguments.length] ?? '');
      return usageFailure(
        `too many arguments for ${path}${quoted && `: unexpected${quoted}`}`,
        registeredArguments.length > 0 ? `Quote a value that contains spaces. ${usage}` : usage,
      );
    }
    case 'commander.optionMissingArgument':
    case 'commander.invalidArgument':
      return describeValue(complaint, command);
    default:
      return usageFailure(complaint, help);
  }
}

/** Rewrites "option '--sort <field>' argument 'size' is invalid. …". */
function describeValue(complaint: string, command: Command): Failure {
  const { options, registeredArguments } = command;
  const [, word] = /(?:argument|value) '(.*)' is invalid/s.exec(complaint) ?? [];
  const option = options.find(({ flags }) => complaint.startsWith(`option '${flags}'`));
  const argument = registeredArguments.find(({ argChoices }) => argChoices);
  const name = option?.long ?? `<${argument?.name()}>`;
  const choices = (option ?? argument)?.argChoices ?? [];
  const similar = nearest(word ?? '', choices);
  const isCommon = option?.helpGroupHeading === commonHeading;
  const page = isCommon ? 'petstore help options' : `${pathOf(command)} --help`;
  return usageFailure(
    word === undefined
      ? `missing value for ${name}`
      : `invalid value${quotedUnlessKey(word)} for ${name}`,
    choices.length > 0
      ? `${similar ? `Did you mean ${similar}? ` : ''}One of: ${choices.join(', ')}`
      : `See: ${page}`,
  );
}
