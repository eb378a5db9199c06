import type { shells } from './candidates.ts'

/**
 * What a shell evaluates to complete genrun. All knowledge stays in genrun, which is asked at each Tab; where it answers
 * nothing, files are offered. The words that were typed reach genrun as arguments: nothing of them is evaluated.
 */
export const scripts: { readonly [shell in (typeof shells)[number]]: string } = {
  // One line as it stands: bash breaks words at `:` and `=`, which genrun must see whole (`--ar 16:9`).
  bash: `_genrun() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(genrun __complete bash "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -o bashdefault -F _genrun genrun`,
  zsh: `_genrun() {
  local -a found
  found=("\${(@f)$(genrun __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then _describe genrun found; else _files; fi
}
compdef _genrun genrun`,
  fish: `function __genrun_complete
  set -l found (genrun __complete fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    string replace -- '  ' \\t $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c genrun -f -a '(__genrun_complete)'`,
}
