import { addAbortSignal, type Readable, Writable } from 'node:stream';
import { stopReason, usageError } from '../errors.ts';
import type { Screen } from './messages.ts';

/**
 * Asks a yes-or-no question on stderr, in interactive runs only. The caller escapes line breaks in
 * the service's texts. An empty line and the end of the input mean no.
 */
export async function confirm(screen: Screen, question: string): Promise<boolean> {
  const answer = await ask(screen, `${question} [y/N]`);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

/** Asks for one line on stderr, in interactive runs only. A `hidden` answer is not echoed. */
export async function askLine(
  screen: Screen,
  question: string,
  options?: { readonly hidden?: boolean },
): Promise<string> {
  const answer = (await ask(screen, question, options)) ?? '';
  if (answer === '') throw usageError('no answer was given');
  return answer;
}

async function ask(
  { host: { stdin, stderr, signal }, messages }: Screen,
  question: string,
  { hidden = false } = {},
): Promise<string | undefined> {
  await messages.flush();
  // Loaded late: most commands that could ask do not.
  const { createInterface } = await import('node:readline');
  signal.throwIfAborted();
  // A line editor would wait forever for the end of a stream that has ended.
  if (stdin.readableEnded) return undefined;
  // The line editor puts the terminal into raw mode, which echoes nothing, and its own echo is
  // discarded. Closing the editor restores the terminal.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({
    input: stdin,
    output: discard,
    terminal: hidden,
    historySize: 0,
  });
  try {
    // Print the question after starting the editor, so that even an immediate answer is not echoed.
    await stderr.write(`${messages.clean(question, { keepNewlines: true })} `);
    return await new Promise((resolve, reject) => {
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

/** Reads a stream of at most `mostBytes`. @param name of the stream, in errors. */
export async function readInput(
  { host: { signal } }: Screen,
  stream: Readable,
  name: string,
  mostBytes: number,
): Promise<Buffer> {
  signal.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > mostBytes) throw usageError(`${name} has more than ${mostBytes} bytes`);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks);
}
