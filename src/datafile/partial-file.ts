import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BadBody } from '../api/http/body.ts';
import type { WireResponse } from '../api/http/transport.ts';
import { writeError } from '../disk/file-sink.ts';
import { CliError } from '../errors.ts';
import type { BucketObject } from './listing.ts';

/** A file during its download, next to its target. Its name contains the version of the object. */
export class PartialFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #size: number;
  /** Bytes fetched so far. */
  length: number;

  private constructor(path: string, handle: FileHandle, length: number, size: number) {
    this.path = path;
    this.#handle = handle;
    this.length = length;
    this.#size = size;
  }

  /** Opens the partial file of an object, and removes those of its other versions. */
  static async open(target: string, { etag, size }: BucketObject): Promise<PartialFile> {
    const [folder, stem] = [dirname(target), `.${basename(target)}.`];
    const name = `${stem}${etag.replaceAll(/[^\w-]/g, '_').slice(0, 40)}.part`;
    const path = join(folder, name);
    try {
      for (const other of await readdir(folder)) {
        // A version has no dot: `.MANIFEST.json.….part` does not belong to MANIFEST.
        const version = other.startsWith(stem) && /^[\w-]+\.part$/.test(other.slice(stem.length));
        if (version && other !== name) await rm(join(folder, other));
      }
      const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
      const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
      const stats = await handle.stat();
      if (!stats.isFile()) {
        await handle.close();
        throw new Error('there is something else in its place');
      }
      const part = new PartialFile(path, handle, stats.size, size);
      if (part.length > size) await part.restart();
      return part;
    } catch (error) {
      throw writeError(path, error);
    }
  }

  /** The headers that request the missing bytes of this version of the object. */
  headers(etag: string): Record<string, string> {
    return {
      'if-match': `"${etag}"`,
      'x-amz-checksum-mode': 'ENABLED',
      ...(this.length === 0 ? {} : { range: `bytes=${this.length}-` }),
    };
  }

  /**
   * Writes the body of an answer and checks that the file is complete.
   * @returns whether the answer held the whole object.
   * @throws {BadBody} when the answer is another range, or ends early; the bytes that arrived are kept.
   */
  async receive(response: WireResponse): Promise<boolean> {
    const from = this.length;
    if (response.status === 206) {
      const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.header('content-range') ?? '') ?? [];
      if (Number(start) !== from || Number(total) !== this.#size) {
        response.discard();
        throw new BadBody('the answer is not the requested part of the object');
      }
    } else if (from > 0) await this.restart();
    const whole = this.length === 0;
    for await (const chunk of response.encodedBody()) {
      if (this.length + chunk.length > this.#size)
        throw new BadBody('the object is longer than its listing says');
      await this.#write(chunk);
    }
    if (this.length < this.#size) throw new BadBody('the object was cut short');
    return whole;
  }

  /** Drops all bytes. */
  async restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.length = 0;
  }

  /** Sets the modification time, and flushes the file to the disk so that it survives a power cut. */
  async sync(modified: Date): Promise<void> {
    try {
      await this.#handle.utimes(modified, modified);
      await this.#handle.sync();
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #write(chunk: Buffer): Promise<void> {
    try {
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await this.#handle.write(chunk, done, chunk.length - done, this.length);
        done += bytesWritten;
        this.length += bytesWritten;
      }
    } catch (error) {
      throw error instanceof CliError ? error : writeError(this.path, error);
    }
  }
}
