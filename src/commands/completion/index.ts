import type { Command } from 'commander';
import type { CommandSpec } from '../../cli/declare.ts';
import { choiceArgument } from '../../cli/options.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `doi-cli completion …`: completion scripts, generated from the command tree. */
export const completion = (program: Command): CommandSpec => ({
  name: 'completion',
  description: 'print a completion script for a shell',
  arguments: [choiceArgument('<shell>', SHELLS, 'the shell')],
  examples: [
    'doi-cli completion bash > ~/.doi-cli-completion.bash',
    'doi-cli completion zsh > ~/_doi-cli',
    'doi-cli completion fish > ~/doi-cli.fish',
  ],
  load: async () => {
    const { script } = await import('./script.ts');
    return (context, shell: Shell) => context.host.stdout.write(script(shell, program));
  },
});
