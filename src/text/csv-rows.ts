/** The longest row, in characters. */
const MAX_ROW = 16 * 1024 * 1024;

/** Why a text is not CSV; the row is the one after those that have been read. */
export class CsvError extends Error {}

interface Cell {
  readonly value: string;
  /** Where the next cell begins. */
  readonly next: number;
  readonly endsRow: boolean;
}

/**
 * Cuts CSV (RFC 4180) into rows of cells: a quoted cell may hold delimiters, line breaks and doubled quotes, and a
 * row ends with any line break. Rows may have different numbers of cells; an empty line is a row of one empty cell.
 * @param text in pieces that may end anywhere.
 * @param delimiter one character.
 * @throws {CsvError} for wrong quotes and for a row of more than 16 Mi characters.
 */
export async function* csvRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<string[]> {
  const reader = new CellReader(delimiter);
  let cells: string[] = [];
  let length = 0;
  const rowsIn = function* (isEnd: boolean) {
    for (let cell = reader.next(isEnd); cell !== undefined; cell = reader.next(isEnd)) {
      cells.push(cell.value);
      length += cell.value.length + 1;
      if (!cell.endsRow) continue;
      yield cells;
      cells = [];
      length = 0;
    }
    if (length + reader.waiting > MAX_ROW) throw new CsvError('the row is too long: a quote may be open');
  };
  for await (const piece of text) {
    reader.add(piece);
    yield* rowsIn(false);
  }
  if (cells.length > 0 || reader.waiting > 0) yield* rowsIn(true);
}

class CellReader {
  readonly #delimiter: string;
  /** The end of a cell without quotes, or a quote where none belongs. */
  readonly #special: RegExp;
  #text = '';
  #at = 0;
  /** How far a cell with quotes has been searched for its end. */
  #searched = 0;
  #isDone = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    const code = delimiter.charCodeAt(0).toString(16).padStart(4, '0');
    this.#special = new RegExp(`["\\r\\n\\u${code}]`, 'g');
  }

  /** How many characters are not read yet. */
  get waiting(): number {
    return this.#text.length - this.#at;
  }

  add(piece: string): void {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#searched -= this.#at;
    this.#at = 0;
  }

  /** The next cell. @returns undefined where it may go on in a later piece, and after the last one. */
  next(isEnd: boolean): Cell | undefined {
    if (this.#isDone || (!isEnd && this.waiting === 0)) return undefined;
    const cell = this.#text[this.#at] === '"' ? this.#quoted(isEnd) : this.#plain(isEnd);
    if (cell === undefined) return undefined;
    this.#at = cell.next;
    this.#searched = cell.next;
    // A delimiter at the end has an empty cell after it, a line break nothing.
    this.#isDone = isEnd && cell.endsRow && this.waiting === 0;
    return cell;
  }

  #plain(isEnd: boolean): Cell | undefined {
    this.#special.lastIndex = this.#at;
    const end = this.#special.exec(this.#text)?.index ?? this.#text.length;
    return this.#ended(this.#text.slice(this.#at, end), end, isEnd);
  }

  #quoted(isEnd: boolean): Cell | undefined {
    let end = Math.max(this.#at + 1, this.#searched);
    for (;;) {
      end = this.#text.indexOf('"', end);
      if (end < 0 && isEnd) throw new CsvError('a cell that begins with a quote has no closing one');
      if (end < 0) this.#searched = this.#text.length;
      if (end < 0 || (end + 1 === this.#text.length && !isEnd)) return undefined;
      if (this.#text[end + 1] !== '"') break;
      end += 2;
      this.#searched = end;
    }
    return this.#ended(this.#text.slice(this.#at + 1, end).replaceAll('""', '"'), end + 1, isEnd);
  }

  /** A cell that ends at a delimiter, a line break, or the end of the text. */
  #ended(value: string, end: number, isEnd: boolean): Cell | undefined {
    const mark = this.#text[end];
    // A carriage return at the end of a piece may be half of a line break.
    if (!isEnd && (mark === undefined || (mark === '\r' && end + 1 === this.#text.length))) return undefined;
    if (mark === this.#delimiter) return { value, next: end + 1, endsRow: false };
    if (mark !== undefined && mark !== '\r' && mark !== '\n') {
      throw new CsvError('a quote in the middle of a cell, or text after a closing one');
    }
    const isPair = mark === '\r' && this.#text[end + 1] === '\n';
    return { value, next: Math.min(end + (isPair ? 2 : 1), this.#text.length), endsRow: true };
  }
}
