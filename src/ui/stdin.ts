import { addAbortSignal } from 'node:stream';
import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';

/**
 * All of stdin.
 * @throws {CliError} kind `usage` when it is longer than so many bytes; the stop reason when interrupted.
 */
export async function readStdin(context: Context, mostBytes: number): Promise<Buffer> {
  const { stdin, signal } = context.host;
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
