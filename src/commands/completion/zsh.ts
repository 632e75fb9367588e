import { quoted } from '../../text/shell-word.ts';
import { offer, place, profilesFunction } from './posix.ts';
import type { Node, Word } from './tree.ts';

/** The script of zsh: a file `_doi-cli` in a folder of `fpath`, or a script to source. */
export function zsh(tree: readonly Node[]): string {
  const described = (words: readonly Word[]) =>
    `lines=(${words.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ')})`;
  const script = offer(tree, {
    words: (words, several) => `${several ? "compset -P '*,'; " : ''}compadd -- ${words.join(' ')}`,
    files: '_files',
    directories: '_files -/',
    profiles: `_doi_cli_profiles; compadd -- \${=profiles}`,
    commands: ({ commands }) => `${described(commands)}; _describe -t commands command lines`,
    options: (options) => `${described(options)}; _describe -o -t options option lines`,
  });
  return `#compdef doi-cli
# zsh completion for doi-cli. It runs no program, and nothing that is on the command line.
${profilesFunction('match')}
_doi-cli() {
  local profiles cur="$PREFIX" at="" option="" help="" word
  local -a lines
  local -i operands=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [ -n "$option" ]; then option=""; continue; fi
${place(tree)}
  done
  if [ -z "$option" ]; then
    case "$cur" in --*=*) option="\${cur%%=*}"; compset -P '*=' ;; esac
  fi
${script}
}
if [ "\${funcstack[1]}" = "_doi-cli" ]; then _doi-cli "$@"; else compdef _doi-cli doi-cli; fi
`;
}
