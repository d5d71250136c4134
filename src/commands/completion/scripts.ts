/** The shells that have a script. */
export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** What a script reads in place of candidates where the shell shall complete the name of a file. */
export const filesWanted = '<file>';

/**
 * For each shell a script that asks petstore itself at each Tab, so that it never gets out of date. Words of the user are
 * handed on as arguments and never evaluated; nothing petstore might say reaches the terminal.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for petstore
_petstore() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == '${filesWanted}' ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("\${line%% *}")
    fi
  done < <(command petstore completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _petstore petstore`,

  zsh: `#compdef petstore
# zsh completion for petstore
_petstore() {
  local line
  local -a lines candidates
  lines=("\${(@f)$(command petstore completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  if [[ $lines[1] == '${filesWanted}' ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in $lines; do
    candidates+=("\${line/ /:}")
  done
  _describe petstore candidates
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _petstore "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi`,

  fish: `# fish completion for petstore
function __petstore_candidates
  set -l words (commandline -opc)
  set -e words[1]
  set -l word (commandline -ct)
  set -l lines (command petstore completion fish -- $words "$word" 2>/dev/null </dev/null)
  if test "$lines" = '${filesWanted}'
    set -l option (string match -r -- '^--[^=]+=' $word)
    for path in (complete -C "'' "(string replace -r -- '^--[^=]+=' '' $word))
      printf '%s\\n' "$option$path"
    end
  else
    string replace ' ' \\t -- $lines
  end
end
complete -c petstore -f -a '(__petstore_candidates)'`,

  // Windows PowerShell drops an empty argument: the word to complete has a mark in front.
  powershell: `# PowerShell completion for petstore
Register-ArgumentCompleter -Native -CommandName petstore -ScriptBlock {
  param($word, $line, $cursor)
  $before = $line.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursor } |
    ForEach-Object { if ($_.Value -is [string]) { $_.Value } else { $_.Extent.Text } }
  $words = @($before) + "+$word"
  petstore completion powershell '--' @words 2>$null | ForEach-Object {
    if ($_ -eq '${filesWanted}') { return }
    $value, $about = $_ -split ' ', 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}`,
};
