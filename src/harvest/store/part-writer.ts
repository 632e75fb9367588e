import { PartFile } from './part-file.ts';

const NEWLINE = Buffer.from('\n');
// In memory, for all files: each batch opens the files again that it has records for.
const BATCH_BYTES = 16 * 1024 * 1024;

/** Writes records to many part files in turn. None of them stays open, and memory is bounded. */
export class PartWriter {
  readonly #pathOf: (file: number) => string;
  readonly #gzip: boolean;
  readonly #written = new Map<number, { bytes: number; records: number }>();
  readonly #waiting = new Map<number, Buffer[]>();
  #size = 0;

  constructor(pathOf: (file: number) => string, gzip: boolean) {
    this.#pathOf = pathOf;
    this.#gzip = gzip;
  }

  records(file: number): number {
    return this.#written.get(file)?.records ?? 0;
  }

  /** @throws {CliError} kind `output`. */
  async add(file: number, line: Buffer): Promise<void> {
    const lines = this.#waiting.get(file) ?? [];
    this.#waiting.set(file, lines);
    // Copied: a view would keep the whole chunk that it was read from in memory.
    lines.push(Buffer.concat([line, NEWLINE]));
    this.#size += line.length + 1;
    if (this.#size >= BATCH_BYTES) await this.#flush();
  }

  /** Writes what is left, and makes all files safe from a power cut. @throws {CliError} kind `output`. */
  async finish(): Promise<void> {
    await this.#flush();
    for (const [file, written] of this.#written) await this.#with(file, written, (part) => part.sync());
  }

  async #flush(): Promise<void> {
    for (const [file, lines] of this.#waiting) {
      const written = this.#written.get(file) ?? { bytes: 0, records: 0 };
      await this.#with(file, written, async (part) => {
        await part.append(lines);
        this.#written.set(file, { bytes: part.bytes, records: written.records + lines.length });
      });
    }
    this.#waiting.clear();
    this.#size = 0;
  }

  async #with(file: number, known: { readonly bytes: number }, use: (part: PartFile) => Promise<unknown>) {
    const part = await PartFile.open(this.#pathOf(file), known, this.#gzip);
    try {
      await use(part);
    } finally {
      await part.close();
    }
  }
}
