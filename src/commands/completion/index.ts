import type { CommandSpec, Declaration, DeclaredCommand } from '../../cli/declare.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { choiceArgument, formatOption, option } from '../../cli/options.ts';
import { SHELLS, type Shell } from './tree.ts';

/** @param program the tree that the scripts complete. */
export const completion = (program: DeclaredCommand): Declaration => ({
  arguments: [choiceArgument('<shell>', SHELLS, 'the shell')],
  examples: [
    'doi-cli completion install zsh',
    'doi-cli completion uninstall fish',
    'source <(doi-cli completion bash)',
  ],
  isOnePage: true,
  commands: [
    changeOf(program, 'install', 'write the script where the shell looks for it'),
    changeOf(program, 'uninstall', 'remove everything that install added'),
  ],
  load: async () => {
    const { script } = await import('./script.ts');
    return async (context, shell: Shell) => context.host.stdout.write(await script(shell, program));
  },
});

export const change = {
  options: [
    option('--dry-run', 'print what would change, and change nothing'),
    formatOption(['text', 'json'], 'readable lines, or one object').default('text'),
  ],
};

const changeOf = (
  program: DeclaredCommand,
  name: 'install' | 'uninstall',
  description: string,
): CommandSpec => ({
  name,
  description,
  arguments: [choiceArgument('[shell]', SHELLS, 'the shell (default: from SHELL)')],
  ...change,
  examples: [`doi-cli completion ${name} fish`, `doi-cli completion ${name} zsh --dry-run`],
  load: async () => {
    const { installCommand } = await import('./install.ts');
    return (context, shell: Shell | undefined, options: OptionsOf<typeof change>) =>
      installCommand(context, program, { ...options, shell, remove: name === 'uninstall' });
  },
});
