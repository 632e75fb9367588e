import { type Choice, type Node, valued } from './tree.ts';

/** How a shell offers what may follow. */
interface Offers {
  readonly words: (words: readonly string[], several: boolean) => string;
  readonly files: string;
  readonly directories: string;
  readonly profiles: string;
  readonly commands: (node: Node) => string;
  readonly options: (options: readonly Choice[]) => string;
}

/**
 * A function `_doi_cli_profiles` that reads the names of the profiles from the settings into `profiles`. Only a regular
 * file is read, so that it cannot wait, and only names that a shell would not take apart.
 * @param groups the list in which the shell puts what the groups of a regular expression have matched.
 */
export function profilesFunction(groups: 'BASH_REMATCH' | 'match'): string {
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

/**
 * The part of the script that finds the place of the cursor: the command, the operands before it, and the option
 * whose value it is. `help` comes before the names of a command, whose place it does not change.
 * @param next the next word before the cursor.
 */
export function place(tree: readonly Node[]): string {
  const paths = tree.filter(({ path }) => path !== '' && path !== ' help').map(({ path }) => `"${path}"`);
  return `    case "$word" in
      --) return ;;
      --*=*) ;;
      -*) case "$at|$word" in ${valuePatterns(tree)}) option="$word" ;; esac ;;
      *)
        case "$at|$word" in "|help") help=1; continue ;; esac
        case "$at $word" in
          ${paths.join('|')}) at="$at $word" ;;
          *) operands=$((operands + 1)) ;;
        esac ;;
    esac`;
}

function valuePatterns(tree: readonly Node[]): string {
  return valued(tree)
    .flatMap(({ node, names }) => names.map((name) => pattern(node, name)))
    .join('|');
}

/** An option of the program may stand behind any command. */
const pattern = ({ path }: Node, name: string) => (path === '' ? `*"|${name}"` : `"${path}|${name}"`);

/** The part of the script that offers what may stand at the cursor. */
export function offer(tree: readonly Node[], offers: Offers): string {
  const [program] = tree;
  const values = valued(tree).flatMap(({ node, option, names }) => {
    const what = valueOffer(option.value, option.several, offers);
    return what === undefined
      ? []
      : [`      ${names.map((name) => pattern(node, name)).join('|')}) ${what} ;;`];
  });
  const operands = tree.flatMap(({ path, operands: each }) =>
    each.flatMap((value, index) => {
      const what = path === ' help' ? undefined : valueOffer(value, false, offers);
      return what === undefined ? [] : [`    "${path}|${index}") ${what} ;;`];
    }),
  );
  const groups = tree.filter(({ commands }) => commands.length > 0);
  const commands = groups.map((node) => `    "${node.path}|0") ${offers.commands(node)} ;;`);
  const own = tree.map(({ path, options }) => `    "${path}") ${offers.options(options)} ;;`);
  // Where nothing can be guessed, options help; where an operand is due, they would only get in its way.
  const due = tree.filter(({ path, operands: each }) => path !== '' && each.length > 0);
  return `  if [ -n "$option" ]; then
    case "$at|$option" in
${values.join('\n')}
    esac
    return
  fi
  case "$at|$operands" in
${operands.join('\n')}
  esac
  case "$at|$operands" in
${commands.join('\n')}
  esac
  [ -n "$help" ] && return
  case "$cur|$at" in
    -*) ;;
    ${[...groups.map(({ path }) => `*"|${path}"`), ...due.map(({ path }) => `*"|${path}"`)].join('|')}) return ;;
  esac
  case "$at" in
${own.join('\n')}
  esac
  case "$cur" in
    -*) ${offers.options(program?.options ?? [])} ;;
  esac`;
}

function valueOffer(value: Choice['value'], several: boolean, offers: Offers): string | undefined {
  if (value === 'file') return offers.files;
  if (value === 'directory') return offers.directories;
  if (value === 'profile') return offers.profiles;
  return typeof value === 'string' ? undefined : offers.words(value, several);
}
