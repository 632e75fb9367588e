import { addAbortSignal } from 'node:stream';
import { usageError } from '../errors.ts';
import type { Screen } from './screen.ts';

/**
 * All of stdin.
 * @throws {CliError} kind `usage` when it is longer than so many bytes; the stop reason when interrupted.
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
