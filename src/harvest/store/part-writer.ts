import { PartFile } from './part-file.ts';

const NEWLINE = Buffer.from('\n');
const BATCH_BYTES = 16 * 1024 * 1024;

/** Writes records to many part files by turns, with none of them open for long and a bounded number in memory. */
export class PartWriter {
  readonly #pathOf: (place: number) => string;
  readonly #gzip: boolean;
  readonly #written = new Map<number, { bytes: number; records: number }>();
  readonly #waiting = new Map<number, Buffer[]>();
  #size = 0;

  constructor(pathOf: (place: number) => string, gzip: boolean) {
    this.#pathOf = pathOf;
    this.#gzip = gzip;
  }

  /** How many records the file at a place has. */
  records(place: number): number {
    return this.#written.get(place)?.records ?? 0;
  }

  /**
   * Adds a record.
   * @throws {CliError} kind `output`.
   */
  async add(place: number, line: Buffer): Promise<void> {
    const lines = this.#waiting.get(place) ?? [];
    this.#waiting.set(place, lines);
    // Copied: a view would keep the whole chunk in memory in which it was read.
    lines.push(Buffer.concat([line, NEWLINE]));
    this.#size += line.length + 1;
    if (this.#size >= BATCH_BYTES) await this.#flush();
  }

  /**
   * Writes what is left, and waits until all files would survive a power cut.
   * @throws {CliError} kind `output`.
   */
  async finish(): Promise<void> {
    await this.#flush();
    for (const [place, written] of this.#written) {
      await this.#with(place, written, (part) => part.sync());
    }
  }

  async #flush(): Promise<void> {
    for (const [place, lines] of this.#waiting) {
      const written = this.#written.get(place) ?? { bytes: 0, records: 0 };
      await this.#with(place, written, async (part) => {
        await part.append(lines);
        this.#written.set(place, { bytes: part.bytes, records: written.records + lines.length });
      });
    }
    this.#waiting.clear();
    this.#size = 0;
  }

  async #with(place: number, known: { readonly bytes: number }, use: (part: PartFile) => Promise<unknown>) {
    const part = await PartFile.open(this.#pathOf(place), known, this.#gzip);
    try {
      await use(part);
    } finally {
      await part.close();
    }
  }
}
