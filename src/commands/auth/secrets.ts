import { platform } from 'node:os';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { askSecret } from '../../ui/prompt.ts';
import { readStdin } from '../../ui/stdin.ts';

const LONGEST_SECRET_BYTES = 16 * 1024;

/**
 * A secret from stdin, or from a hidden prompt when that is a terminal. What is piped loses one trailing newline
 * and nothing else.
 * @param what names it in questions and errors: `password`, `API key`.
 * @throws {CliError} kind `usage` when there is none, or what there is cannot be one.
 */
export async function secretFromStdin(context: Context, what: string): Promise<string> {
  if (context.host.terminal.stdin) return promptedSecret(context, what);
  const bytes = await readStdin(context, LONGEST_SECRET_BYTES);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`the ${what} on stdin is not UTF-8`);
  }
  // A newline is two characters where pipes are PowerShell's.
  return remembered(context, what, text.replace(platform() === 'win32' ? /\r?\n$/ : /\n$/, ''));
}

/**
 * A secret from a hidden prompt.
 * @throws {CliError} kind `usage` when prompts are forbidden, or nothing is typed.
 */
export async function promptedSecret(context: Context, what: string): Promise<string> {
  if (!context.interactive) {
    throw usageError(`the ${what} cannot be asked for here`, `pipe it in: --${slug(what)}-stdin < file`);
  }
  return remembered(context, what, await askSecret(context, `${what[0]?.toUpperCase()}${what.slice(1)}:`));
}

function remembered(context: Context, what: string, secret: string): string {
  context.redactor.addSecret(secret);
  if (secret === '') throw usageError(`the ${what} on stdin is empty`);
  if (secret.includes('\n')) throw usageError(`the ${what} on stdin has more than one line`);
  if (secret.includes('\0')) throw usageError(`the ${what} on stdin holds a NUL character`);
  return secret;
}

function slug(what: string): string {
  return what.toLowerCase().replace(' ', '-');
}
