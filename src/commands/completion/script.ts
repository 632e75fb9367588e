import type { DeclaredCommand } from '../../cli/declare.ts';
import { quoted } from '../../text/shell-word.ts';
import { fish } from './fish.ts';
import {
  type Choice,
  header,
  type Node,
  type Shell,
  treeOf,
  type Value,
  type Word,
} from './tree.ts';

/**
 * The completion script for a shell. It never runs this program, and never expands the command
 * line.
 */
export async function script(shell: Shell, program: DeclaredCommand): Promise<string> {
  await program.declareAll();
  return { bash, zsh, fish }[shell](treeOf(program));
}

interface Offers {
  readonly words: (words: readonly Word[], several: boolean) => string;
  readonly file: string;
  readonly directory: string;
}

/** The script for bash, also for the version 3.2 of macOS. */
function bash(tree: readonly Node[]): string {
  const offers: Offers = {
    words: (words) => `_doi_cli_words '${words.map(({ name }) => name).join(' ')}'`,
    file: '_doi_cli_paths -f',
    directory: '_doi_cli_paths -d',
  };
  return `${header('bash')}
_doi_cli_words() {
  local head="$front" word
  case "$cur" in *,*) head="$front\${cur%,*}," ;; esac
  while IFS= read -r word; do
    # A list takes each word once.
    case ",$cur" in *",$word,"*) continue ;; esac
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
_doi_cli() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" option="" front="" operands=0 i word
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

/** The script for zsh: a file `_doi-cli` in a folder of `fpath`, or a script to source. */
function zsh(tree: readonly Node[]): string {
  const described = ({ name, description }: Word) =>
    quoted(description === '' ? name : `${name}:${description}`);
  const offers: Offers = {
    words: (words, several) => {
      const show = several ? '_doi_cli_list' : '_describe value lines';
      return `lines=(${words.map(described).join(' ')}); ${show}`;
    },
    file: '_files',
    directory: '_files -/',
  };
  return `#compdef doi-cli
${header('zsh')}
_doi_cli_list() {
  # A list takes each word once.
  local -a chosen=("\${(@s:,:)\${(M)cur##*,}##*=}")
  compset -P '*,'
  lines=(\${lines:|chosen})
  _describe value lines
}
_doi-cli() {
  local cur="$PREFIX" at="" option="" word
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
 * The part of the script that handles a word before the cursor: a command, an operand, or an option
 * with a value.
 */
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

/** A program option may follow any command. */
const patterns = ({ path }: Node, { names }: Choice) =>
  names.map((name) => (path === '' ? `*"|${name}"` : `"${path}|${name}"`)).join('|');

function offer(tree: readonly Node[], offers: Offers): string {
  const line = (pattern: string, value: Value | undefined, several = false) => {
    if (value === undefined || value === 'free') return [];
    const command = typeof value === 'string' ? offers[value] : offers.words(value, several);
    return [`    ${pattern}) ${command} ;;`];
  };
  const options = ({ options: all }: Node) =>
    all.map(({ names: [name = ''], description }) => ({ name, description }));
  const [program, ...commands] = tree;
  const values = tree.flatMap((node) =>
    node.options.flatMap((option) => line(patterns(node, option), option.value, option.several)),
  );
  const operandLines = tree.flatMap(({ path, operands }) =>
    operands.flatMap((value, index) => line(`"${path}|${index}"`, value)),
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
${operandLines.join('\n')}
  esac`;
}
