import { offer, place, profilesFunction } from './posix.ts';
import type { Node } from './tree.ts';

/** The script of bash; 3.2, which macOS has, is enough. */
export function bash(tree: readonly Node[]): string {
  const words = (all: readonly string[]) => `_doi_cli_words '${all.join(' ')}'`;
  const script = offer(tree, {
    words,
    files: '_doi_cli_paths -f',
    directories: '_doi_cli_paths -d',
    profiles: '_doi_cli_profiles; _doi_cli_words "$profiles"',
    commands: ({ commands }) => words(commands.map(({ name }) => name)),
    options: (options) => words(options.map(({ name }) => name)),
  });
  return `# bash completion for doi-cli. It runs no program, and nothing that is on the command line.
_doi_cli_words() {
  local head="$front" word
  case "$cur" in *,*) head="$front\${cur%,*}," ;; esac
  while IFS= read -r word; do
    [ -n "$word" ] && COMPREPLY[\${#COMPREPLY[@]}]="$head$word"
  done <<< "$(compgen -W "$1" -- "\${cur##*,}")"
}
_doi_cli_paths() {
  local word
  # bash 3.2 has no compopt, which quotes names and marks directories.
  if type compopt >/dev/null 2>&1; then compopt -o filenames 2>/dev/null; fi
  while IFS= read -r word; do
    [ -n "$word" ] || continue
    if ! type compopt >/dev/null 2>&1; then
      [ -d "$word" ] && word="$word/"
      printf -v word %q "$word"
    fi
    COMPREPLY[\${#COMPREPLY[@]}]="$front$word"
  done <<< "$(compgen "$1" -- "$cur")"
}
${profilesFunction('BASH_REMATCH')}
_doi_cli() {
  local profiles cur="\${COMP_WORDS[COMP_CWORD]}" at="" option="" help="" front="" operands=0 i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # bash makes three words of --option=value.
    if [ -n "$option" ]; then
      [ "$word" = "=" ] || option=""
      continue
    fi
${place(tree)}
  done
  if [ "$cur" = "=" ] && [ -n "$option" ]; then cur=""; fi
  # Where COMP_WORDBREAKS has no equals sign, it is one word.
  if [ -z "$option" ]; then
    case "$cur" in --*=*) option="\${cur%%=*}"; front="$option="; cur="\${cur#*=}" ;; esac
  fi
${script}
}
complete -F _doi_cli doi-cli
`;
}
