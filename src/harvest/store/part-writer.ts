import { PartFile } from './part-file.ts';

const NEWLINE = Buffer.from('\n');
// The records in memory, of all files: each batch opens the files of its records again.
const BATCH_BYTES = 16 * 1024 * 1024;

interface PartTotals {
  readonly bytes: number;
  readonly records: number;
}

/** Writes records to many part files in turn. No file stays open, and memory is bounded. */
export class PartWriter {
  readonly #pathOf: (file: number) => string;
  readonly #gzip: boolean;
  readonly #written = new Map<number, PartTotals>();
  readonly #unsynced = new Set<number>();
  readonly #waiting = new Map<number, Buffer[]>();
  #size = 0;

  constructor(pathOf: (file: number) => string, gzip: boolean) {
    this.#pathOf = pathOf;
    this.#gzip = gzip;
  }

  written(file: number): PartTotals {
    return this.#written.get(file) ?? { bytes: 0, records: 0 };
  }

  /** @throws {CliError} kind `output`. */
  async add(file: number, line: Buffer): Promise<void> {
    const lines = this.#waiting.get(file) ?? [];
    this.#waiting.set(file, lines);
    // Copied: a view would keep the whole chunk of its file in memory.
    lines.push(Buffer.concat([line, NEWLINE]));
    this.#size += line.length + 1;
    if (this.#size >= BATCH_BYTES) await this.#flush();
  }

  /** Writes the rest, and makes all files safe. @throws {CliError} kind `output`. */
  async finish(): Promise<void> {
    await this.#flush();
    for (const file of this.#unsynced) await this.#with(file, (part) => part.sync());
    this.#unsynced.clear();
  }

  async #flush(): Promise<void> {
    for (const [file, lines] of this.#waiting) {
      await this.#with(file, async (part) => {
        await part.append(lines);
        this.#written.set(file, {
          bytes: part.bytes,
          records: this.written(file).records + lines.length,
        });
        this.#unsynced.add(file);
      });
    }
    this.#waiting.clear();
    this.#size = 0;
  }

  async #with(file: number, use: (part: PartFile) => Promise<unknown>) {
    const part = await PartFile.open(this.#pathOf(file), this.written(file), this.#gzip);
    try {
      await use(part);
    } finally {
      await part.close();
    }
  }
}
