import { type Choice, type Node, valued } from './tree.ts';

/** The script of fish. */
export function fish(tree: readonly Node[]): string {
  const lines = tree.flatMap((node) => linesOf(node));
  const paths = tree.filter(({ path }) => path !== '' && path !== ' help').map(({ path }) => quoted(path));
  const values = valued(tree).flatMap(({ node, names }) =>
    names.map((name) => quoted(node.path === '' ? name : `${node.path}|${name}`)),
  );
  return `# fish completion for doi-cli. It runs no program, and nothing that is on the command line.
set -g __doi_cli_paths ${paths.join(' ')}
set -g __doi_cli_values ${values.join(' ')}
# Whether the cursor is at a command, after a number of its operands. Without a command: whether it is anywhere.
function __doi_cli_at
  set -l at ''
  set -l skip 0
  set -l operands 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$word"
      case '--'
        return 1
      case '--*=*'
      case '-*'
        if contains -- "$at|$word" $__doi_cli_values; or contains -- "$word" $__doi_cli_values
          set skip 1
        end
      case '*'
        if test "$at|$word" = '|help'
          continue
        else if contains -- "$at $word" $__doi_cli_paths
          set at "$at $word"
        else
          set operands (math $operands + 1)
        end
    end
  end
  test (count $argv) = 0; and return 0
  test "$at" = "$argv[1]"; or return 1
  test (count $argv) = 1; or test $operands = $argv[2]
end
# The names of the profiles in the settings. Only a regular file is read, so that it cannot wait.
function __doi_cli_profiles
  set -l folders "$HOME/Library/Preferences/doi-cli" "$HOME/.config/doi-cli"
  set -q XDG_CONFIG_HOME; and set folders[2] "$XDG_CONFIG_HOME/doi-cli"
  set -q DOI_CLI_CONFIG_DIR; and set folders "$DOI_CLI_CONFIG_DIR"
  for folder in $folders
    if test -f "$folder/config.json" -a -r "$folder/config.json"
      string replace -rf '^\\s*"([A-Za-z0-9_.-]+)":\\s*[{][}]?,?\\s*$' '$1' < "$folder/config.json" | string match -v profiles
      return
    end
  end
end
complete -c doi-cli -f
${lines.join('\n')}
`;
}

function linesOf({ path, commands, options, operands }: Node): string[] {
  const when = (condition: string) => `complete -c doi-cli -n ${quoted(condition)}`;
  const here = path === '' ? '__doi_cli_at' : `__doi_cli_at ${quoted(path)}`;
  const first = when(`__doi_cli_at ${quoted(path)} 0`);
  return [
    ...commands.map(({ name, description }) => `${first} -a ${name} -d ${quoted(description)}`),
    ...operands.flatMap((value, index) =>
      typeof value === 'string'
        ? []
        : [`${when(`__doi_cli_at ${quoted(path)} ${index}`)} -a ${quoted(value.join(' '))}`],
    ),
    ...options.map((option) => `${when(here)}${flags(option)} -d ${quoted(option.description)}`),
  ];
}

function flags({ name, short, value, several }: Choice): string {
  const names = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${name.slice(2)}`;
  switch (value) {
    case 'none':
      return names;
    case 'file':
      return `${names} -r -F`;
    case 'directory':
      return `${names} -x -a '(__fish_complete_directories)'`;
    case 'profile':
      return `${names} -x -a '(__doi_cli_profiles)'`;
    case 'free':
      return `${names} -x`;
    default: {
      const words = value.join(' ');
      // A value without a description of its own would get that of the option.
      const plain = value.map((word) => `${word}\\t''`).join(' ');
      const list = `(string replace -r '$' '\\t' -- (__fish_append , ${words}))`;
      return `${names} -x -a ${quoted(several ? list : plain)}`;
    }
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
