import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BadBody } from '../api/http/body.ts';
import type { WireResponse } from '../api/http/transport.ts';
import { writeError } from '../disk/atomic-file.ts';
import { CliError } from '../errors.ts';
import type { BucketObject } from './listing.ts';

/** A file that is still being fetched: beside its place, under a name that tells which version of the object it is. */
export class Part {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #size: number;
  /** Bytes that are there. */
  length: number;

  private constructor(path: string, handle: FileHandle, length: number, size: number) {
    this.path = path;
    this.#handle = handle;
    this.length = length;
    this.#size = size;
  }

  /** Opens what is there of an object, and removes what is there of its other versions. */
  static async open(target: string, { etag, size }: BucketObject): Promise<Part> {
    const [folder, stem] = [dirname(target), `.${basename(target)}.`];
    const name = `${stem}${etag.replaceAll(/[^\w-]/g, '_').slice(0, 40)}.part`;
    const path = join(folder, name);
    try {
      for (const other of await readdir(folder)) {
        // Without a dot in between: `.MANIFEST.json.….part` is no version of MANIFEST.
        const version = other.startsWith(stem) && /^[\w-]+\.part$/.test(other.slice(stem.length));
        if (version && other !== name) await rm(join(folder, other));
      }
      const handle = await open(
        path,
        constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0),
        0o666,
      );
      const part = new Part(path, handle, (await handle.stat()).size, size);
      if (part.length > size) await part.restart();
      return part;
    } catch (error) {
      throw writeError(path, error);
    }
  }

  /** The headers that ask for what is missing, of this version of the object and no other. */
  headers(etag: string): Record<string, string> {
    return {
      'if-match': `"${etag}"`,
      'x-amz-checksum-mode': 'ENABLED',
      ...(this.length === 0 ? {} : { range: `bytes=${this.length}-` }),
    };
  }

  /**
   * Takes what an answer brings, and makes sure that nothing is missing.
   * @returns whether the answer brought the object from its beginning.
   * @throws {BadBody} when it is not what was asked for, or ends early: what came of it stays.
   */
  async receive(response: WireResponse): Promise<boolean> {
    const from = this.length;
    if (response.status === 206) {
      const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.header('content-range') ?? '') ?? [];
      if (Number(start) !== from || Number(total) !== this.#size) {
        response.discard();
        throw new BadBody('the answer is another part of the object than was asked for');
      }
    } else if (from > 0) await this.restart();
    const whole = this.length === 0;
    for await (const chunk of response.body({ encoded: true })) {
      if (this.length + chunk.length > this.#size)
        throw new BadBody('the object is longer than its listing says');
      await this.#write(chunk);
    }
    if (this.length < this.#size) throw new BadBody('the object was cut short');
    return whole;
  }

  /** Forgets what is there. */
  async restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.length = 0;
  }

  /** Makes sure that what was written survives a power cut. */
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
