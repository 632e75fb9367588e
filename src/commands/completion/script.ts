import type { Command, Option } from 'commander';

/** A command, for completion. */
interface Node {
  /** The names of the command, each after a blank: ` keys create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly Choice[];
}

/** An option, and the kind of its value. */
interface Choice {
  readonly name: string;
  readonly description: string;
  readonly value: 'none' | 'file' | 'free' | readonly string[];
}

/**
 * The completion script for a shell. It is static: it never runs this program, and it neither runs nor
 * expands the words on the command line.
 */
export function script(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  return { bash, zsh, fish }[shell](treeOf(program));
}

const FILES = ['--file', '--out', '--dir'];

/**
 * The nodes of the command tree. Each includes the options of the commands above it, which are valid
 * anywhere.
 */
function treeOf(command: Command, path = '', inherited: readonly Choice[] = []): Node[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const options = [...help.visibleOptions(command).map(choiceOf), ...inherited];
  const own = new Map(options.map((option) => [option.name, option]));
  const passed = [...own.values()].filter(({ name }) => name !== '--help' && name !== '--version');
  return [
    {
      path,
      commands: children.map((child) => ({ name: child.name(), description: child.description() })),
      options: [...own.values()],
    },
    ...children.flatMap((child) => treeOf(child, `${path} ${child.name()}`, passed)),
  ];
}

function choiceOf({ long, short, description, required, optional, argChoices }: Option): Choice {
  const name = long ?? short ?? '';
  const takes = required || optional;
  const value = argChoices ?? (FILES.includes(name) ? 'file' : 'free');
  return { name, description, value: takes ? value : 'none' };
}

/** The options that take a value, each once. */
function valued(tree: readonly Node[]): Choice[] {
  const all = tree.flatMap(({ options }) => options.filter(({ value }) => value !== 'none'));
  // An option may have different choices in two commands. Then all of them are offered.
  const merged = new Map<string, Choice>();
  for (const option of all) {
    const before = merged.get(option.name);
    const value =
      before && Array.isArray(before.value) && Array.isArray(option.value)
        ? [...new Set([...before.value, ...option.value])]
        : option.value;
    merged.set(option.name, { ...option, value });
  }
  return [...merged.values()];
}

const names = (items: readonly { readonly name: string }[]): string =>
  items.map(({ name }) => name).join(' ');
const pathCases = (tree: readonly Node[]): string =>
  tree
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join('|');

/** The cases of bash and zsh. `reply` offers words, `files` offers files; a free value gets no offer. */
function posixCases(tree: readonly Node[], reply: (words: string) => string, files: string): string {
  const after = valued(tree).map(({ name, value }) => {
    const what = Array.isArray(value) ? reply(value.join(' ')) : value === 'file' ? files : ':';
    return `    ${name}) ${what}; return ;;`;
  });
  const at = tree.map(({ path, commands, options }) => {
    const words = `${names(commands)} ${names(options)}`.trim();
    return `    "${path}") ${reply(words)} ;;`;
  });
  return `  case "$prev" in\n${after.join('\n')}\n  esac\n  case "$at" in\n${at.join('\n')}\n  esac`;
}

function bash(tree: readonly Node[]): string {
  const reply = (words: string) => `COMPREPLY=($(compgen -W '${words}' -- "$cur"))`;
  return `# bash completion for doi-cli; source this file
_doi_cli() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$word" = "--" ] && return
    case "$at $word" in
      ${pathCases(tree)}) at="$at $word" ;;
    esac
  done
${posixCases(tree, reply, 'compopt -o default')}
}
complete -F _doi_cli doi-cli
`;
}

function zsh(tree: readonly Node[]): string {
  const reply = (words: string) => `compadd -- ${words}`;
  return `#compdef doi-cli
_doi_cli() {
  local prev="\${words[CURRENT-1]}" at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [ "$word" = "--" ] && return
    case "$at $word" in
      ${pathCases(tree)}) at="$at $word" ;;
    esac
  done
${posixCases(tree, reply, '_files')}
}
if [ "\${funcstack[1]}" = "_doi_cli" ]; then _doi_cli; else compdef _doi_cli doi-cli; fi
`;
}

function fish(tree: readonly Node[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = tree.flatMap(({ path, commands, options }) => {
    const here = `complete -c doi-cli -n ${quoted(`__doi_cli_at ${quoted(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${here} -f -a ${name} -d ${quoted(description)}`),
      ...options.map(({ name, description, value }) => {
        const follows = Array.isArray(value)
          ? ` -x -a ${quoted(value.join(' '))}`
          : { none: ' -f', file: ' -r -F', free: ' -x' }[
              value as Exclude<Choice['value'], readonly string[]>
            ];
        return `${here} -l ${name.slice(2)}${follows} -d ${quoted(description)}`;
      }),
    ];
  });
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion for doi-cli
function __doi_cli_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    test "$word" = '--'; and return 1
    if contains -- "$at $word" ${paths.join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}
