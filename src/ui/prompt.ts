import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { stopReason, usageError } from '../errors.ts';
import type { Screen } from './screen.ts';

/**
 * Asks a yes-or-no question on stderr; only `y` and `yes` mean yes. Call it only where the run is interactive
 * is true.
 * @throws the stop reason when interrupted.
 */
export async function confirm(screen: Screen, question: string): Promise<boolean> {
  const answer = await ask(screen, `${question} [y/N]`, { hidden: false });
  // The end of the input is an answer too.
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

/**
 * Asks for one line on stderr, such as an account's name. Call it only where the run is interactive is true.
 * @throws {CliError} kind `usage` when the input ends without one; the stop reason when interrupted.
 */
export async function askLine(screen: Screen, question: string): Promise<string> {
  return answered(await ask(screen, question, { hidden: false }));
}

/**
 * Asks for a secret on stderr: nothing of what is typed is shown. Call it only where the run is interactive is true.
 * @throws {CliError} kind `usage` when the input ends without one; the stop reason when interrupted.
 */
export async function askSecret(screen: Screen, question: string): Promise<string> {
  return answered(await ask(screen, question, { hidden: true }));
}

function answered(answer: string | undefined): string {
  if (answer === undefined || answer === '') throw usageError('no answer was given');
  return answer;
}

/** One line, or undefined at the end of the input. */
async function ask(
  screen: Screen,
  question: string,
  { hidden }: { readonly hidden: boolean },
): Promise<string | undefined> {
  await screen.messages.flush();
  const { stdin, stderr, signal } = screen.host;
  signal.throwIfAborted();
  // The line editor puts the terminal into raw mode, so that it echoes nothing, and what the editor itself shows
  // of a secret goes nowhere. Closing it brings the terminal back.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input: stdin, output: nowhere, terminal: hidden, historySize: 0 });
  try {
    // Only now: whoever answers at once must not be echoed either.
    await stderr.write(`${screen.messages.clean(question)} `);
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
