import { Argument, type Command, Help, type Option } from 'commander';
import type { Context } from '../context.ts';
import { Exit, usageFailure } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { listProfiles } from '../session/settings.ts';
import { openSettingsFile } from '../settings/file.ts';
import { type Setting, settings } from '../settings/settings.ts';
import { commandBelow, loadCommand } from './lazy-command.ts';
import { topics } from './topics.ts';
import type { Verb } from './verb.ts';

/**
 * Each script asks petstore at every Tab, so it never gets out of date. Where petstore prints nothing, the shell offers file
 * names, unless the exit code is not 0; PowerShell always does. The user's words are passed on as arguments and never evaluated.
 */
const scripts = {
  bash: `_petstore() {
  local IFS=$'\\n'
  COMPREPLY=($(command petstore completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)) || compopt +o default
}
complete -o default -F _petstore petstore`,

  // It may be sourced, also with ksharrays, or lie in a folder of fpath, where the first Tab loads and calls it.
  zsh: `#compdef petstore
_petstore() {
  local -a found
  found=("\${(@f)$(command petstore completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}") || return
  if [[ -n $found ]]; then _describe petstore found; else compset -P '--*='; _files; fi
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _petstore "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi`,

  // "$word" in quotes: a command substitution without output would be no argument at all.
  fish: `function __petstore
  set -l words (commandline -opc)[2..]
  set -l word (commandline -ct)
  set -l found (command petstore completion fish -- $words "$word" 2>/dev/null </dev/null)
  or return
  if test -n "$found"
    printf '%s\\n' $found
  else
    set -l option (string match -r -- '^--[^=]+=' $word)
    printf "$option%s\\n" (complete -C "'' "(string replace -r -- '^--[^=]+=' '' $word))
  end
end
complete -c petstore -f -a '(__petstore)'`,

  // Windows PowerShell drops an empty argument, so the last word has a mark in front.
  powershell: `Register-ArgumentCompleter -Native -CommandName petstore -ScriptBlock {
  param($word, $line, $cursor)
  $before = $line.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursor } |
    ForEach-Object { if ($_.Value -is [string]) { $_.Value } else { $_.Extent.Text } }
  $words = @($before) + "+$word"
  petstore completion powershell '--' @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\\t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}`,
} as const;

type Shell = keyof typeof scripts;
type Suggestion = readonly [word: string, meaning?: string];

export const completion: Verb = {
  description:
    'Print a Tab completion script. Install it once: it asks petstore at every Tab, so it never needs an update. It sends no request and reads no API key.',
  usage: '[options] <shell>',
  takes: [
    ['<shell>', 'the shell', Object.keys(scripts)],
    ['[words...]', 'what stands on a line; prints what its end may become'],
  ],
  examples: [
    "echo 'source <(petstore completion bash)' >> ~/.bashrc",
    "echo 'source <(petstore completion zsh)' >> ~/.zshrc",
    'petstore completion fish > ~/.config/fish/completions/petstore.fish',
    'petstore completion powershell | Add-Content $PROFILE',
  ],
  isNew: true,
  onFault: 'go on',
  run: complete,
};

async function complete(
  { context, isSeparated, sink }: Session,
  shell: Shell,
  given: readonly string[],
  _options: object,
  { parent: program }: Command,
): Promise<void> {
  if (given.length === 0 || !program) return sink.print([scripts[shell]]);
  if (!isSeparated) throw usageFailure('the words of a line stand behind --');
  const last = given.at(-1) ?? '';
  // bash makes three words of --output=json, and replaces what stands behind the last = or :.
  const joined = given
    .join('\0')
    .replace(/\0([=:]+)(?:\0|$)/g, '$1')
    .split('\0');
  const words = {
    bash: joined,
    zsh: given,
    fish: given,
    powershell: [...given.slice(0, -1), last.slice(1)],
  }[shell];
  const typed = words.at(-1) ?? '';
  const keptLength = shell === 'bash' ? typed.length - last.replace(/^[=:]+$/, '').length : 0;

  const suggestions = await suggest(context, program, words);
  if (suggestions === 'files') return;
  const separator = { bash: undefined, zsh: ':', fish: '\t', powershell: '\t' }[shell];
  const lines = suggestions
    .filter(([word]) => word.startsWith(typed))
    .map(([word, meaning]) =>
      [word.slice(keptLength), separator && meaning].filter(Boolean).join(separator),
    );
  if (lines.length === 0) throw new Exit(3);
  await sink.print(lines);
}

async function suggest(
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<readonly Suggestion[] | 'files'> {
  const isHelp = words[0] === 'help';
  let command = program;
  let option: Option | undefined;
  const values: string[] = [];
  for (const word of words.slice(isHelp ? 1 : 0, -1)) {
    const next = values.length === 0 ? commandBelow(command, word) : undefined;
    if (option) option = undefined;
    else if (word.startsWith('-')) option = optionWithValue(command, word);
    else if (next) {
      await loadCommand(next);
      command = next;
    } else values.push(word);
  }
  const typed = words.at(-1) ?? '';
  // Other shells than bash pass --output=js in one piece.
  const [flag = ''] = /^--[^=]+=/.exec(typed) ?? [];
  if (flag) option = optionWithValue(command, flag.slice(0, -1));
  const isLiteral = words.slice(0, -1).includes('--');
  if (!option && typed.startsWith('-') && !isLiteral) {
    const options = new Help().visibleOptions(command);
    return options.map(({ long, description }) => [long ?? '', description]);
  }
  if (!option && command.commands.length > 0) return namesBelow(command, isHelp);
  const taker = option ?? command.registeredArguments[values.length];
  const choices = taker && listChoices(context, taker, values);
  return choices?.map((choice): Suggestion => [flag + choice]) ?? 'files';
}

function optionWithValue({ options }: Command, word: string): Option | undefined {
  return options.find(({ required, long, short }) => required && (long === word || short === word));
}

function namesBelow(command: Command, isHelp: boolean): readonly Suggestion[] {
  const below = new Help().visibleCommands(command);
  const names = below.map((child): Suggestion => [child.name(), child.summary()]);
  const pages = isHelp && !command.parent ? Object.keys(topics) : [];
  return [...names, ...pages.map((page): Suggestion => [page])];
}

function listChoices(context: Context, taker: Option | Argument, [setting = '']: string[]) {
  const placeholder = taker instanceof Argument ? taker.name() : taker.flags;
  if (/\b(?:file|json|command)\b/.test(placeholder)) return undefined;
  // Of `config set SETTING VALUE` the choices are those of the setting.
  const name = taker.name() === 'value' ? setting : taker.name();
  if (name.endsWith('profile')) return listProfiles(openSettingsFile(context));
  const known: Readonly<Record<string, Setting>> = settings;
  return taker.argChoices ?? known[name]?.choices ?? [];
}
