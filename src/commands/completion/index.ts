import type { Command } from 'commander';
import { argument, examples, type Runner } from '../../cli/options.ts';
import { SHELLS, type Shell } from './shells.ts';

/** `doi-cli completion …`: completion scripts, made from the command tree. */
export function addCompletion(program: Command, run: Runner): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .argument('<shell>', SHELLS.join(', '), argument(parseShell))
    .addHelpText(
      'after',
      examples(
        'doi-cli completion bash > ~/.doi-cli-completion.bash',
        'doi-cli completion zsh > ~/_doi-cli',
        'doi-cli completion fish > ~/doi-cli.fish',
      ),
    )
    .action(
      run(async (context, shell: Shell) => {
        const [{ script }, { treeOf }] = await Promise.all([import('./scripts.ts'), import('./tree.ts')]);
        await context.host.stdout.write(script(shell, treeOf(program)));
      }),
    );
}

function parseShell(text: string): Shell {
  const shell = SHELLS.find((name) => name === text);
  if (shell === undefined) throw new Error(`the shells are ${SHELLS.join(', ')}`);
  return shell;
}
