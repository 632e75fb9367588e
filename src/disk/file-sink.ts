import { writev } from 'node:fs';
import { CliError, ClosedPipe, errorCode } from '../errors.ts';
import { systemReason } from './system-error.ts';

/**
 * A sink over a file descriptor. Node's own stream for a redirected stdout ignores partial writes,
 * so it silently loses bytes when the disk becomes full; this sink writes the rest or fails.
 */
export function fileSink(fd: number): {
  write(...chunks: readonly (string | Uint8Array)[]): Promise<void>;
} {
  return {
    async write(...chunks) {
      let rest = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
      while (rest.length > 0) rest = skip(rest, await writeSome(fd, rest));
    },
  };
}

// The limit of buffers in one writev call that every platform accepts (IOV_MAX).
const MAX_PARTS = 1024;

function writeSome(fd: number, parts: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) =>
    writev(fd, parts.slice(0, MAX_PARTS), (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => resolve(0), 5);
      else if (error) reject(outputError(error));
      else resolve(written);
    }),
  );
}

function skip(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  let index = 0;
  let offset = count;
  while (index < parts.length && offset >= (parts[index]?.length ?? 0)) {
    offset -= parts[index]?.length ?? 0;
    index += 1;
  }
  const rest = parts.slice(index);
  if (offset > 0 && rest[0] !== undefined) rest[0] = rest[0].subarray(offset);
  return rest;
}

/** The error for a failed write to stdout: {@link ClosedPipe} if the reader has closed it. */
export function outputError(error: Error): Error {
  const code = errorCode(error);
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new ClosedPipe(error);
  return writeError('the output', error);
}

/** The error for a failed write, truncation or fsync of `what`, such as a path. */
export function writeError(what: string, error: unknown): CliError {
  // A sink's own error does not contain the path.
  const cause = error instanceof CliError && error.cause !== undefined ? error.cause : error;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(cause) ?? '');
  return new CliError('output', `cannot write ${what}: ${systemReason(cause)}`, {
    cause,
    file: what,
    hint: isFull ? 'make room on the disk' : undefined,
  });
}
