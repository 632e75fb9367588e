import { createHash } from 'node:crypto';
import { constants, gzipSync } from 'node:zlib';
import { Params } from '../http/params.ts';
import { ByteWriter } from '../records/byte-writer.ts';
import { isoSeconds } from '../records/times.ts';
import type { Catalogue, Entry } from './catalogue.ts';
import { readFilter } from './filter.ts';
import { TYPICAL_RECORD } from './resource-document.ts';

/** An object of the bucket. */
export interface StoredObject {
  readonly body: Buffer;
  /** The ETag without quotes. */
  readonly etag: string;
  /** Milliseconds since 1970, whole seconds. */
  readonly modified: number;
  /** SHA-256 in base64; undefined if the bucket sends no checksum. */
  readonly sha256?: string | undefined;
}

const RECORDS_IN_PART = 10_000;
/**
 * The emulator holds the data file in memory, so a large corpus contributes only its first records.
 */
const MAX_RECORDS = 20_000;
const RECORD_VIEW = { detail: true, affiliation: true, publisher: true };

/**
 * The monthly data file (service.md, D6): for each month in which records were last updated, the
 * Findable ones as JSON lines and a table of all registered ones; at the root MANIFEST,
 * MANIFEST.json and STATUS.json.
 */
export class DatafileObjects {
  readonly #catalogue: Catalogue;
  readonly #now: number;
  #objects: Map<string, StoredObject> | undefined;

  /** @param now the time at which the file was made, in milliseconds since 1970 */
  constructor(catalogue: Catalogue, now: number) {
    this.#catalogue = catalogue;
    this.#now = Math.floor(now / 1000) * 1000;
  }

  get(key: string): StoredObject | undefined {
    return this.#made.get(key);
  }

  /** Keys in listing order, which is the order of their bytes. */
  keys(): string[] {
    return [...this.#made.keys()].sort(byBytes);
  }

  /** Adds or replaces an object; without a body, removes it. */
  put(key: string, body: Buffer | undefined, etag?: string): void {
    if (body === undefined) this.#made.delete(key);
    else
      this.#made.set(key, {
        ...object(body, this.#now),
        ...(etag === undefined ? {} : { etag, sha256: undefined }),
      });
  }

  // Made at the first request: most runs of the emulator never need it.
  get #made(): Map<string, StoredObject> {
    this.#objects ??= this.#make();
    return this.#objects;
  }

  #make(): Map<string, StoredObject> {
    const months = new Map<string, Entry[]>();
    let count = 0;
    for (const entry of this.#catalogue.select(readFilter(new Params(''), false)).walk()) {
      if (this.#catalogue.kind(entry).state === 'draft') continue;
      const month = isoSeconds(this.#catalogue.times(entry).updated ?? 0).slice(0, 7);
      months.set(month, [...(months.get(month) ?? []), entry]);
      count += 1;
      if (count === MAX_RECORDS) break;
    }
    const files = new Map<string, StoredObject>();
    for (const [month, entries] of [...months].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const folder = `dois/updated_${month}`;
      files.set(`${folder}/${month}.csv.gz`, this.#zipped(Buffer.from(this.#table(entries))));
      const findable = entries.filter((entry) => this.#catalogue.kind(entry).state === 'findable');
      for (let part = 0; part * RECORDS_IN_PART < findable.length; part += 1) {
        const name = `part_${String(part).padStart(4, '0')}.jsonl.gz`;
        const records = findable.slice(part * RECORDS_IN_PART, (part + 1) * RECORDS_IN_PART);
        files.set(`${folder}/${name}`, this.#zipped(this.#lines(records)));
      }
    }
    const listed = [...files].map(([filename, { body, sha256 }]) => ({
      filename,
      size: body.length,
      sha256,
    }));
    const plain = listed
      .map(({ filename, size, sha256 }) => `${filename} ${size} ${sha256}\n`)
      .join('');
    const month = new Date(this.#now - 28 * 86_400_000)
      .toISOString()
      .slice(0, 7)
      .replace('-0', '-');
    const status = { month, datetime: new Date(this.#now).toISOString(), status: 'Complete' };
    for (const [name, text] of [
      ['MANIFEST', plain],
      ['MANIFEST.json', JSON.stringify(listed)],
      ['STATUS.json', JSON.stringify(status)],
    ] as const) {
      files.set(name, object(Buffer.from(text), this.#now));
    }
    return files;
  }

  #lines(entries: readonly Entry[]): Buffer {
    const out = new ByteWriter(TYPICAL_RECORD * Math.max(1, entries.length));
    for (const entry of entries) {
      this.#catalogue.write(out, entry, RECORD_VIEW);
      out.ascii('\n');
    }
    return out.finish();
  }

  #table(entries: readonly Entry[]): string {
    const rows = entries.map((entry) => {
      const { state, clientId } = this.#catalogue.kind(entry);
      const { doi } = this.#catalogue.position(entry);
      const updated = isoSeconds(this.#catalogue.times(entry).updated ?? 0);
      return `${doi},${state},${clientId},${updated}\n`;
    });
    return `doi,state,client_id,updated\n${rows.join('')}`;
  }

  #zipped(body: Buffer): StoredObject {
    return object(gzipSync(body, { level: constants.Z_BEST_SPEED }), this.#now);
  }
}

/** The order of a listing. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function object(body: Buffer, modified: number): StoredObject {
  const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
    createHash(algorithm).update(body).digest(encoding);
  return { body, modified, etag: digest('md5', 'hex'), sha256: digest('sha256', 'base64') };
}
