import type { Command } from 'commander';
import { quoted } from '../../text/shell-word.ts';
import { fish } from './fish.ts';
import { type Choice, type Node, type Shell, treeOf, type Value, type Word } from './tree.ts';

/**
 * The completion script for a shell. It is static: it never runs this program, and it neither runs nor
 * expands the words on the command line.
 */
export function script(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](treeOf(program));
}

/** How bash or zsh offers what may stand in a place. */
interface Offers {
  readonly words: (words: readonly Word[], several: boolean) => string;
  readonly file: string;
  readonly directory: string;
  readonly profile: string;
}

/** The script of bash; 3.2, which macOS has, is enough. */
function bash(tree: readonly Node[]): string {
  const offers: Offers = {
    words: (words) => `_doi_cli_words '${words.map(({ name }) => name).join(' ')}'`,
    file: '_doi_cli_paths -f',
    directory: '_doi_cli_paths -d',
    profile: '_doi_cli_profiles; _doi_cli_words "$profiles"',
  };
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
  local profiles cur="\${COMP_WORDS[COMP_CWORD]}" at="" option="" front="" operands=0 i word
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
${offer(tree, offers)}
}
complete -F _doi_cli doi-cli
`;
}

/** The script of zsh: a file `_doi-cli` in a folder of `fpath`, or a script to source. */
function zsh(tree: readonly Node[]): string {
  const described = ({ name, description }: Word) =>
    quoted(description === '' ? name : `${name}:${description}`);
  const offers: Offers = {
    words: (words, several) =>
      `${several ? "compset -P '*,'; " : ''}lines=(${words.map(described).join(' ')}); _describe value lines`,
    file: '_files',
    directory: '_files -/',
    profile: `_doi_cli_profiles; compadd -- \${=profiles}`,
  };
  return `#compdef doi-cli
# zsh completion for doi-cli. It runs no program, and nothing that is on the command line.
${profilesFunction('match')}
_doi-cli() {
  local profiles cur="$PREFIX" at="" option="" word
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
${offer(tree, offers)}
}
if [ "\${funcstack[1]}" = "_doi-cli" ]; then _doi-cli "$@"; else compdef _doi-cli doi-cli; fi
`;
}

/**
 * A function `_doi_cli_profiles` that reads the names of the profiles from the settings into `profiles`. Only a regular
 * file is read, so that it cannot wait, and only names that a shell would not take apart.
 * @param groups the list in which the shell puts what the groups of a regular expression have matched.
 */
function profilesFunction(groups: 'BASH_REMATCH' | 'match'): string {
  const pattern = `'^[[:space:]]*"([A-Za-z0-9_.-]+)":[[:space:]]*[{][}]?,?[[:space:]]*$'`;
  return `_doi_cli_profiles() {
  local folder line pattern=${pattern}
  profiles=""
  for folder in "\${DOI_CLI_CONFIG_DIR:-$HOME/Library/Preferences/doi-cli}" "\${XDG_CONFIG_HOME:-$HOME/.config}/doi-cli"; do
    [ -f "$folder/config.json" ] && [ -r "$folder/config.json" ] || continue
    while IFS= read -r line; do
      if [[ "$line" =~ $pattern ]] && [ "\${${groups}[1]}" != profiles ]; then profiles="$profiles \${${groups}[1]}"; fi
    done < "$folder/config.json"
    return
  done
}`;
}

/** The part of the script that takes the next word before the cursor: a command, an operand, or an option with a value. */
function place(tree: readonly Node[]): string {
  const paths = tree.slice(1).map(({ path }) => `"${path}"`);
  const valued = tree.flatMap((node) =>
    node.options.filter(({ value }) => value !== undefined).map((option) => patterns(node, option)),
  );
  return `    case "$word" in
      --) return ;;
      --*=*) ;;
      -*) case "$at|$word" in ${valued.join('|')}) option="$word" ;; esac ;;
      *)
        case "$at|$word" in "|help") continue ;; esac
        case "$at $word" in
          ${paths.join('|')}) at="$at $word" ;;
          *) operands=$((operands + 1)) ;;
        esac ;;
    esac`;
}

/** An option of the program may stand behind any command. */
const patterns = ({ path }: Node, { names }: Choice) =>
  names.map((name) => (path === '' ? `*"|${name}"` : `"${path}|${name}"`)).join('|');

/** The part of the script that offers what may stand at the cursor. */
function offer(tree: readonly Node[], offers: Offers): string {
  const line = (pattern: string, value: Value | undefined, several = false) => {
    if (value === undefined || value === 'free') return [];
    return [`    ${pattern}) ${typeof value === 'string' ? offers[value] : offers.words(value, several)} ;;`];
  };
  const options = ({ options: all }: Node) =>
    all.map(({ names: [name = ''], description }) => ({ name, description }));
  const [program, ...commands] = tree;
  const values = tree.flatMap((node) =>
    node.options.flatMap((option) => line(patterns(node, option), option.value, option.several)),
  );
  return `  if [ -n "$option" ]; then
    case "$at|$option" in
${values.join('\n')}
    esac
    return
  fi
  case "$cur" in -*)
    case "$at" in
${commands.flatMap((node) => line(`"${node.path}"`, options(node))).join('\n')}
    esac
    ${offers.words(program === undefined ? [] : options(program), false)}
    return ;;
  esac
  case "$at|$operands" in
${tree.flatMap(({ path, operands }) => operands.flatMap((value, index) => line(`"${path}|${index}"`, value))).join('\n')}
  esac`;
}
