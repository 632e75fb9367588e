import { createInterface } from 'node:readline';
import { addAbortSignal, Writable } from 'node:stream';
import { stopReason, usageError } from '../errors.ts';
import type { Screen } from './screen.ts';

/*
 * What a run reads from stdin. The questions are for interactive runs only.
 */

/**
 * Asks a yes-or-no question on stderr; only `y` and `yes` mean yes.
 * @throws the stop reason when interrupted.
 */
export async function confirm(screen: Screen, question: string): Promise<boolean> {
  const answer = await ask(screen, `${question} [y/N]`, { hidden: false });
  // The end of the input means no.
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

/**
 * Asks for one line on stderr, such as an account's name.
 * @throws {CliError} kind `usage` when the input ends without one; the stop reason when interrupted.
 */
export async function askLine(screen: Screen, question: string): Promise<string> {
  return nonEmpty(await ask(screen, question, { hidden: false }));
}

/**
 * Asks for a secret on stderr, and does not echo it.
 * @throws {CliError} kind `usage` when the input ends without one; the stop reason when interrupted.
 */
export async function askSecret(screen: Screen, question: string): Promise<string> {
  return nonEmpty(await ask(screen, question, { hidden: true }));
}

function nonEmpty(answer: string | undefined): string {
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
  // The line editor puts the terminal into raw mode, which echoes nothing, and its own echo is discarded.
  // Closing it restores the terminal.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input: stdin, output: discard, terminal: hidden, historySize: 0 });
  try {
    // After the editor has started, so that even an immediate answer is not echoed.
    await stderr.write(`${screen.messages.clean(question)} `);
    return await new Promise<string | undefined>((resolve, reject) => {
      editor.once('line', resolve);
      editor.once('close', () => resolve(undefined));
      // In raw mode Ctrl-C is an ordinary character and raises no signal.
      editor.once('SIGINT', () => reject(stopReason('SIGINT')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    editor.close();
    if (hidden) await stderr.write('\n');
  }
}

/**
 * All of stdin.
 * @throws {CliError} kind `usage` when it is longer than `mostBytes`; the stop reason when interrupted.
 */
export async function readStdin(screen: Screen, mostBytes: number): Promise<Buffer> {
  const { stdin, signal } = screen.host;
  signal.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > mostBytes) throw usageError(`stdin holds more than ${mostBytes} bytes`);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks);
}
