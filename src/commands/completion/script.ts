import type { Command } from 'commander';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import type { Shell } from './shells.ts';
import { treeOf } from './tree.ts';
import { zsh } from './zsh.ts';

/**
 * The completion script for a shell. It is static: it never runs this program, and it neither runs nor
 * expands the words on the command line.
 */
export function script(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](treeOf(program));
}
