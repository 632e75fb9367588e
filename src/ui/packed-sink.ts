import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Packing } from './out-target.ts';
import type { Sink } from './sink.ts';

/** A sink that packs what it writes to another one. */
export class PackedSink implements Sink {
  readonly #packer: Transform;
  /** The writes of what has been packed. */
  #written: Promise<void> = Promise.resolve();

  constructor(sink: Sink, packing: Packing) {
    this.#packer = packing === 'gzip' ? zlib.createGzip() : zstd();
    this.#packer.on('data', (packed: Buffer) => {
      this.#written = this.#written.then(() => sink.write(packed));
      // The next write or the end reports it.
      this.#written.catch(() => undefined);
    });
  }

  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    const bytes = Buffer.concat(
      chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    );
    await new Promise<void>((resolve, reject) => {
      this.#packer.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#written;
  }

  /** Writes the end of the packed data. */
  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#packer.once('end', resolve).once('error', reject).end();
    });
    await this.#written;
  }
}

/** {@link zlib} has it from Node 22.15 on; `outTarget` has looked. */
function zstd(): Transform {
  return (zlib as unknown as { createZstdCompress(): Transform }).createZstdCompress();
}
