export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/**
 * Each script asks petstore at every Tab, so it never gets out of date. Where petstore prints nothing, the shell offers file
 * names, unless the exit code is 1; PowerShell always does. The user's words are passed on as arguments and never evaluated.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for petstore
_petstore() {
  local IFS=$'\\n'
  COMPREPLY=($(command petstore completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)) || compopt +o default
}
complete -o default -F _petstore petstore`,

  zsh: `#compdef petstore
# zsh completion for petstore
_petstore() {
  local -a found
  found=("\${(@f)$(command petstore completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}") || return
  if [[ -n $found ]]; then
    _describe petstore found
  else
    compset -P '--*='
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _petstore "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _petstore petstore
fi`,

  // "$word" in quotes: a command substitution without output would be no argument at all.
  fish: `# fish completion for petstore
function __petstore
  set -l words (commandline -opc)
  set -e words[1]
  set -l word (commandline -ct)
  set -l found (command petstore completion fish -- $words "$word" 2>/dev/null </dev/null)
  or return
  if test -n "$found"
    printf '%s\\n' $found
  else
    set -l option (string match -r -- '^--[^=]+=' $word)
    for path in (complete -C "'' "(string replace -r -- '^--[^=]+=' '' $word))
      printf '%s\\n' "$option$path"
    end
  end
end
complete -c petstore -f -a '(__petstore)'`,

  // Windows PowerShell drops an empty argument, so the last word has a mark in front.
  powershell: `# PowerShell completion for petstore
Register-ArgumentCompleter -Native -CommandName petstore -ScriptBlock {
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
};
