import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Context } from '../context.ts';

/**
 * Asks a yes-or-no question on stderr; only `y` and `yes` mean yes. Call it only where `context.interactive`
 * is true.
 * @throws the stop reason when interrupted.
 */
export async function confirm(context: Context, question: string): Promise<boolean> {
  await context.messages.flush();
  const { stdin, stderr, signal } = context.host;
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      stderr.write(chunk).then(() => done(), done);
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: false });
  try {
    const answer = await Promise.race([
      lines.question(`${context.messages.clean(question)} [y/N] `, { signal }),
      // The end of the input is an answer too.
      new Promise<string>((resolve) => lines.once('close', () => resolve(''))),
    ]);
    return /^\s*y(es)?\s*$/i.test(answer);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    lines.close();
  }
}
