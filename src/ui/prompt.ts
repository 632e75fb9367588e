import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Context } from '../cli/context.ts';
import { stopReason, usageError } from '../errors.ts';

/**
 * Asks a yes-or-no question on stderr; only `y` and `yes` mean yes. Call it only where `context.interactive`
 * is true.
 * @throws the stop reason when interrupted.
 */
export async function confirm(context: Context, question: string): Promise<boolean> {
  const answer = await ask(context, `${question} [y/N]`, { hidden: false });
  // The end of the input is an answer too.
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

/**
 * Asks for one line on stderr, such as an account's name. Call it only where `context.interactive` is true.
 * @throws {CliError} kind `usage` when the input ends without one; the stop reason when interrupted.
 */
export async function askLine(context: Context, question: string): Promise<string> {
  return answered(await ask(context, question, { hidden: false }));
}

/**
 * Asks for a secret on stderr: nothing of what is typed is shown. Call it only where `context.interactive` is true.
 * @throws {CliError} kind `usage` when the input ends without one; the stop reason when interrupted.
 */
export async function askSecret(context: Context, question: string): Promise<string> {
  return answered(await ask(context, question, { hidden: true }));
}

function answered(answer: string | undefined): string {
  if (answer === undefined || answer === '') throw usageError('no answer was given');
  return answer;
}

/** One line, or undefined at the end of the input. */
async function ask(
  context: Context,
  question: string,
  { hidden }: { readonly hidden: boolean },
): Promise<string | undefined> {
  await context.messages.flush();
  const { stdin, stderr, signal } = context.host;
  signal.throwIfAborted();
  // The line editor puts the terminal into raw mode, so that it echoes nothing, and what the editor itself shows
  // of a secret goes nowhere. Closing it brings the terminal back.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input: stdin, output: nowhere, terminal: hidden, historySize: 0 });
  try {
    // Only now: whoever answers at once must not be echoed either.
    await stderr.write(`${context.messages.clean(question)} `);
    return await new Promise<string | undefined>((resolve, reject) => {
      editor.once('line', resolve);
      editor.once('close', () => resolve(undefined));
      // In raw mode Ctrl-C is a character like any other and raises no signal.
      editor.once('SIGINT', () => reject(stopReason('SIGINT')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    editor.close();
    if (hidden) await stderr.write('\n');
  }
}
