import type { Doi } from '../api/dois.ts';
import { listDois } from '../api/listed-dois.ts';
import type { Service } from '../api/service.ts';

// Servers refuse URLs of more than 8 KB.
const MOST_CHARACTERS = 6000;
// The jobs of a run work on neighbouring lines.
const BATCHES_KEPT = 4;

/** Reads the records of a file from lists, many in each request. */
export class ListedRecords {
  readonly #service: Service;
  readonly #batches: string[][] = [];
  readonly #batchOf = new Map<string, number>();
  readonly #recordsOf = new Map<number, Promise<ReadonlyMap<string, Doi>>>();

  /** @param dois in the order in which they are needed. */
  constructor(service: Service, dois: Iterable<string>) {
    this.#service = service;
    let characters = MOST_CHARACTERS;
    for (const doi of dois) {
      if (doi.includes(',')) continue;
      characters += encodeURIComponent(doi).length + 3;
      if (characters > MOST_CHARACTERS) {
        this.#batches.push([]);
        characters = 0;
      }
      this.#batches.at(-1)?.push(doi);
      this.#batchOf.set(doi.toLowerCase(), this.#batches.length - 1);
    }
  }

  async find(doi: string): Promise<Doi | undefined> {
    const key = doi.toLowerCase();
    const batch = this.#batchOf.get(key);
    return batch === undefined ? undefined : (await this.#read(batch)).get(key);
  }

  #read(batch: number): Promise<ReadonlyMap<string, Doi>> {
    const known = this.#recordsOf.get(batch);
    if (known !== undefined) return known;
    const records = listDois(this.#service, this.#batches[batch] ?? []).then(
      (records) => new Map(records.map((record) => [record.id.toLowerCase(), record])),
    );
    this.#recordsOf.set(batch, records);
    const [oldest] = this.#recordsOf.keys();
    if (this.#recordsOf.size > BATCHES_KEPT && oldest !== undefined) this.#recordsOf.delete(oldest);
    return records;
  }
}
