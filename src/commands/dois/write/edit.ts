import { readFile, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { temporaryFolder } from '../../../disk/folders.ts';
import { CliError, ClosedPipe, toCliError, usageError } from '../../../errors.ts';
import { withoutComments } from '../../../text/json.ts';
import { confirm } from '../../../ui/input.ts';
import { childEnv } from '../../../ui/user-programs.ts';

/**
 * Opens a text in the user's editor and passes the result to `use`. When that fails, the file is kept.
 * @param use gets the text without its comments, and the path of the file. After a `usage` error the user may
 *   edit the text again, where there is a terminal.
 * @throws {CliError} kind `usage` when the text is empty or unchanged: `use` is not called then.
 */
export async function editText<T>(
  context: Context,
  template: string,
  use: (text: string, file: string) => Promise<T>,
): Promise<T> {
  const editor = editorOf(context);
  const folder = await temporaryFolder('doi-cli-');
  const file = join(folder, 'record.jsonc');
  let keep = false;
  try {
    await writeFile(file, template, { mode: 0o600 });
    for (;;) {
      const code = await runEditor(context, editor, file);
      const text = await readFile(file, 'utf8');
      // From here on the user's text must survive any failure.
      keep = text !== template && withoutComments(text).trim() !== '';
      context.host.signal.throwIfAborted();
      if (code !== 0) {
        throw usageError(`the editor '${editor}' ended with code ${code}; nothing was sent`, 'set EDITOR');
      }
      if (!keep) throw usageError('the text is empty or unchanged; nothing was sent');
      try {
        const result = await use(withoutComments(text), file);
        keep = false;
        return result;
      } catch (error) {
        const failure = toCliError(error);
        if (failure.kind !== 'usage' || !context.interactive) throw error;
        context.messages.report(failure);
        if (!(await confirm(context, 'Edit it again?', { usual: true })))
          throw new CliError('usage', 'nothing was sent');
      }
    }
  } catch (error) {
    if (!keep || error instanceof ClosedPipe) throw error;
    const failure = toCliError(error);
    const kept = `what you have written is kept in ${file} (--edit --file continues with it)`;
    throw failure.with({ hint: failure.hint === undefined ? kept : `${failure.hint}; ${kept}` });
  } finally {
    if (!keep) await rm(folder, { recursive: true, force: true });
  }
}

/** As git does it: VISUAL before EDITOR, each a command that may have options. */
function editorOf(context: Context): string {
  const { env } = context.host;
  if (!context.options.input) throw usageError('--edit opens an editor, which --no-input forbids');
  const named = env['VISUAL'] || env['EDITOR'];
  if (named) return named;
  if (!context.interactive) throw usageError('there is no terminal to edit on', 'use --file');
  return platform() === 'win32' ? 'notepad' : 'vi';
}

/** @returns the editor's exit code; null when a signal ended it. */
async function runEditor(context: Context, editor: string, file: string): Promise<number | null> {
  await context.messages.flush();
  const { spawn } = await import('node:child_process');
  const { env: given, terminal, signal } = context.host;
  signal.throwIfAborted();
  const env = childEnv(given);
  // When stdout is a pipe it gets the record, not the editor's screen.
  const stdio = [0, terminal.stdout ? 1 : 2, 2];
  const child =
    platform() === 'win32'
      ? spawn(`${editor} "${file}"`, { stdio, env, shell: true })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio, env });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
