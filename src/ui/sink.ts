import { fstatSync, type Stats, statSync } from 'node:fs';
import { platform } from 'node:os';
import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { isatty } from 'node:tty';
import { fileSink, outputError } from '../disk/file-sink.ts';
import { CliError, errorCode } from '../errors.ts';
import { visible } from '../text/redact.ts';

/**
 * A destination for data. A write is done when its promise resolves: awaiting it respects
 * back-pressure.
 */
export interface Sink {
  /** Writes all chunks, in order. @throws {ClosedPipe} when the reader has closed the pipe. */
  write(...chunks: readonly (string | Uint8Array)[]): Promise<void>;
}

/** A sink over a pipe, socket or terminal, where Node's event-driven writes can be interrupted. */
export function streamSink(stream: Writable): Sink {
  // The stream reports a failed write twice: to its callback, and as an event that would end the
  // process.
  stream.on('error', () => undefined);
  return {
    async write(...chunks) {
      // Await every callback: after a failed write, later ones fail as well.
      stream.cork();
      const written = chunks.map(
        (chunk) =>
          new Promise<void>((resolve, reject) =>
            stream.write(chunk, (error) => (error ? reject(outputError(error)) : resolve())),
          ),
      );
      stream.uncork();
      await Promise.all(written);
    },
  };
}

/** A sink over a terminal that escapes the service's control characters and keeps JSON valid. */
export function terminalSink(sink: Sink): Sink {
  // A character may be split between two chunks.
  const decoder = new StringDecoder('utf8');
  return {
    write(...chunks) {
      const text = chunks.map((chunk) =>
        typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)),
      );
      return sink.write(visible(text.join(''), { keepNewlines: true, json: true }));
    },
  };
}

// A working reader takes more than any page from a pipe in this time.
const GRACE_MS = 1500;

/**
 * A sink whose writes end soon after an interrupt, so that a stuck reader cannot keep the program
 * from stopping. Writes that start after the interrupt are final messages.
 */
export function interruptibleSink(sink: Sink, signal: AbortSignal): Sink {
  return {
    async write(...chunks) {
      if (signal.aborted) return sink.write(...chunks);
      return new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined;
        const stop = () => {
          timer = setTimeout(() => reject(cutOff(signal.reason)), GRACE_MS);
        };
        signal.addEventListener('abort', stop);
        const written = sink.write(...chunks).finally(() => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
        });
        written.then(resolve, reject);
      });
    },
  };
}

function cutOff(reason: unknown): unknown {
  const hint = 'the output may end in the middle of a record, because its reader stopped reading';
  return reason instanceof CliError ? reason.with({ hint }) : reason;
}

/**
 * Whether output is lost: to /dev/null or NUL, which Node opens for a closed stdout, or because the
 * descriptor is closed.
 */
export function isNowhere(fd: number): boolean {
  const stat = statOf(fd);
  if (stat === undefined || stat === 'unknown') return stat === undefined;
  // On Windows, NUL is the only character device besides terminals.
  if (platform() === 'win32') return stat.isCharacterDevice() && !isatty(fd);
  return stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev;
}

/** The sink for a stream of the process, by the kind of its descriptor. */
export function processSink(stream: Writable, fd: number): Sink {
  const stat = statOf(fd);
  const isStream = stat === 'unknown' || stat?.isFIFO() || stat?.isSocket() || isatty(fd);
  return isStream ? streamSink(stream) : fileSink(fd);
}

/** Undefined if the descriptor is closed; `unknown` if the system cannot tell, as under Wine. */
function statOf(fd: number): Stats | 'unknown' | undefined {
  try {
    return fstatSync(fd);
  } catch (error) {
    return errorCode(error) === 'EBADF' ? undefined : 'unknown';
  }
}
