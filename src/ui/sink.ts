import { fstatSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { isatty } from 'node:tty';
import { fileSink, outputError } from '../disk/file-sink.ts';
import type { CliError } from '../errors.ts';
import { visible } from '../text/redact.ts';

/**
 * Where data goes. A write is done when its promise resolves, so whoever awaits it respects back-pressure
 * and learns of a full disk or a closed pipe at the record where it happened.
 */
export interface Sink {
  /**
   * Writes all of it, in order.
   * @throws {ClosedPipe} when the reader has gone; {@link CliError} kind `output` for anything else.
   */
  write(...chunks: readonly (string | Uint8Array)[]): Promise<void>;
}

/** A sink over a stream: pipes, sockets and terminals, where Node's own event-driven writes can be interrupted. */
export function streamSink(stream: Writable): Sink {
  // The stream reports a failed write twice, to its callback and as an event that would end the process.
  stream.on('error', () => undefined);
  return {
    async write(...chunks) {
      // The last callback comes after the others; an earlier failure is that one's failure too.
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

/**
 * A sink over a terminal, for data that is text of the service: control characters are made visible, in the way
 * that keeps JSON valid.
 */
export function terminalSink(sink: Sink): Sink {
  // A character may be cut in two by the pieces of a page.
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

// What a reader that still reads takes from a pipe in this time is more than any page.
const GRACE_MS = 1500;

/**
 * A sink whose write an interrupt ends, after a moment in which it may end by itself: a reader who has stopped reading
 * cannot keep the program from stopping. What is written after the interrupt is not concerned: it is what must still
 * be said.
 * @throws the signal's reason.
 */
export function interruptibleSink(sink: Sink, signal: AbortSignal): Sink {
  return {
    async write(...chunks) {
      if (signal.aborted) return sink.write(...chunks);
      let timer: NodeJS.Timeout | undefined;
      let stop = () => {};
      const interrupted = new Promise<never>((_, reject) => {
        stop = () => {
          timer = setTimeout(() => reject(signal.reason), GRACE_MS);
        };
      });
      signal.addEventListener('abort', stop);
      try {
        await Promise.race([sink.write(...chunks), interrupted]);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    },
  };
}

/**
 * Whether what is written to a descriptor is lost: to /dev/null, which node also opens in the place of a closed
 * stdout.
 */
export function isNowhere(fd: number): boolean {
  if (platform() === 'win32') return false;
  const stat = fstatSync(fd);
  return stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev;
}

/** The sink for one of the process's own streams, chosen by what its descriptor is. */
export function processSink(stream: Writable, fd: number): Sink {
  const stat = fstatSync(fd);
  return isatty(fd) || stat.isFIFO() || stat.isSocket() ? streamSink(stream) : fileSink(fd);
}
