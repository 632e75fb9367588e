import type { Command } from 'commander';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { treeOf } from './tree.ts';
import { zsh } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The completion script for a shell. It is static: it never runs this program, and it neither runs nor
 * expands the words on the command line.
 */
export function script(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](treeOf(program));
}
