import { header, type Node, type Value } from './tree.ts';

export function fish(tree: readonly Node[]): string {
  const valued = tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === undefined ? [] : names.map((name) => (path === '' ? name : `${path}|${name}`)),
    ),
  );
  return `${header('fish')}
set -g __doi_cli_paths ${tree
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(' ')}
set -g __doi_cli_values ${valued.map(quoted).join(' ')}
# Whether the cursor is after a command and a number of its operands; without arguments, anywhere.
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
# The words that a comma-separated list does not have yet.
# A word without a description would get the option's description.
function __doi_cli_list
  set -l chosen (string split , -- (commandline -ct | string replace -r '^--[^=]*=' ''))
  set -e chosen[-1]
  for word in $argv
    contains -- $word $chosen; or printf '%s\\t\\n' (__fish_append , $word)
  end
end
complete -c doi-cli -f
${tree.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, options, operands }: Node): string[] {
  const when = (condition: string) => `complete -c doi-cli -n ${quoted(condition)}`;
  const here = path === '' ? '__doi_cli_at' : `__doi_cli_at ${quoted(path)}`;
  return [
    ...operands.map(
      (value, index) => `${when(`__doi_cli_at ${quoted(path)} ${index}`)}${offer(value)}`,
    ),
    ...options.map(({ names: [long = '', short], description, value, several }) => {
      const name = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
      const values = value ? ` -r${offer(value, several)}` : '';
      return `${when(here)}${name}${values} -d ${quoted(description)}`;
    }),
  ];
}

function offer(value: Value, several = false): string {
  if (value === 'free') return ' -f';
  if (value === 'file') return ' -F';
  if (value === 'directory') return ` -f -a '(__fish_complete_directories)'`;
  const names = value.map(({ name }) => name).join(' ');
  // A value without a description would get the option's description.
  const words = value.map(({ name, description }) => `${name}\\t${quoted(description)}`).join(' ');
  return ` -f -a ${quoted(several ? `(__doi_cli_list ${names})` : words)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
