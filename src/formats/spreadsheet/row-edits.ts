import type { Finding } from '../../metadata/findings.ts';
import type { JsonObject, Path } from '../../text/json-values.ts';
import type {
  CellEdit,
  EditPlace,
  ExportedRecord,
  RecordOrigin,
  RowChanges,
  RowEdits,
} from '../input/record.ts';
import { CLEAR, fromCell } from './cell.ts';
import { type Cell, columnAt, EXPORTED, isMainCell, OUTPUT_ONLY } from './column.ts';
import { compareCell, isOtherTime, shownText } from './compare.ts';
import { exportedIn } from './exported.ts';
import { rowChanges } from './row.ts';
import { textOf, valueIn } from './value.ts';

/** A row, as a new record or as edits of a stored one. */
export class SpreadsheetRow implements RowEdits {
  readonly columns: readonly string[];
  readonly filled: ReadonlySet<string>;
  /** What the row contains about the exported record; undefined in a table made by hand. */
  readonly origin: RecordOrigin | undefined;
  readonly #cells: readonly Cell[];
  readonly #heads: Readonly<Record<string, string>>;
  #asNew: RowChanges | undefined;

  constructor(cells: readonly Cell[], heads: Readonly<Record<string, string>>) {
    this.#cells = cells;
    this.#heads = heads;
    this.columns = cells.map(({ column }) => column.name);
    const filled = cells.filter(({ column, cell }) => cell !== '' && column.types.length > 0);
    this.filled = new Set(filled.map(({ column }) => String(column.path[0])));
    const isExport = this.columns.some((name) => name === EXPORTED || OUTPUT_ONLY.includes(name));
    this.origin = isExport ? originOf(cells) : undefined;
  }

  /** The attributes of a new record, and the findings about its cells. */
  get asNew(): RowChanges {
    this.#asNew ??= rowChanges(this.#cells, undefined);
    return this.#asNew;
  }

  get findings(): readonly Finding[] {
    return this.asNew.findings;
  }

  applyTo(attributes: JsonObject, event?: string): RowChanges {
    return rowChanges(this.#cells, attributes, { event, isExport: this.origin !== undefined });
  }

  isOtherTime(cell: string, time: string): boolean {
    return isOtherTime(cell, time);
  }

  headAt(path: Path): string | undefined {
    const name = columnAt(path, this.columns);
    return name === undefined ? undefined : (this.#heads[name] ?? name);
  }

  headOf(column: string): string | undefined {
    return this.columns.includes(column) ? (this.#heads[column] ?? column) : undefined;
  }

  editsIn({ path, mine }: EditPlace, before: JsonObject): readonly CellEdit[] {
    const [root, index, ...more] = path;
    const edited = this.#cells.filter(
      (cell) => cell.column.path[0] === root && this.#isEdit(cell, before),
    );
    const isItem = typeof index === 'number';
    const place = isItem && mine !== undefined ? this.#placeOf(String(root), index, before) : index;
    const inPlace: Path = isItem ? [String(root), place ?? index, ...more] : path;
    const about = edited.filter(({ column }) => overlaps(column, inPlace));
    const ofItem = edited.filter(({ column }) => overlaps(column, inPlace.slice(0, 2)));
    const cells = [about, ofItem, edited].find((group) => group.length > 0) ?? [];
    return cells.map(({ column, cell }) => ({
      column: column.name,
      head: this.#heads[column.name] ?? column.name,
      edited: shownText(fromCell(cell === CLEAR ? '' : cell)),
      shownIn: (value) => {
        const isBelow = inPlace.every((step, depth) => column.path[depth] === step);
        const below = isBelow ? column.path.slice(inPlace.length) : [];
        return shownText(textOf(valueIn(value, below, column.rest && isBelow)));
      },
    }));
  }

  #isEdit({ column, cell }: Cell, before: JsonObject): boolean {
    if (cell === '' || column.types.length === 0) return false;
    const value = valueIn(before, column.path, column.rest);
    return !compareCell(column, cell, value, this.origin !== undefined).isSame;
  }

  /** The place in the row of an item of the edited list, which lacks removed and empty places. */
  #placeOf(root: string, index: number, before: JsonObject): number | undefined {
    const stored = [before[root] ?? []].flat();
    const cells = this.#cells.filter(
      ({ column: { path }, cell }) => path[0] === root && cell !== '',
    );
    const places = new Set([
      ...stored.keys(),
      ...cells.map(({ column: { path } }) => Number(path[1])),
    ]);
    const removed = new Set(
      cells
        .filter((cell) => cell.cell === CLEAR && isMainCell(cell))
        .map(({ column }) => column.path[1]),
    );
    return [...places].filter((place) => !removed.has(place)).sort((left, right) => left - right)[
      index
    ];
  }
}

/** Whether the value of a column contains the value at a path, or is a part of it. */
function overlaps({ path, rest }: Cell['column'], other: Path): boolean {
  return path.every((step, depth) => {
    const there = other[depth];
    if (there === undefined || there === step) return true;
    if (rest && depth === path.length - 1) return Number(there) >= Number(step);
    return depth === 2 && partsOf(step) === partsOf(there);
  });
}

/** The members that short names of identifiers stand for. */
function partsOf(step: string | number): string {
  const text = String(step);
  if (text === 'orcid') return 'nameIdentifiers';
  return text === 'ror' || /dentifier|cheme/.test(text) ? 'identifier' : text;
}

function originOf(cells: readonly Cell[]): RecordOrigin {
  const textOfColumn = (name: string) =>
    cells.find(({ column }) => column.name === name)?.cell.trim() || undefined;
  const exported: ExportedRecord | undefined = exportedIn(textOfColumn(EXPORTED) ?? '');
  const [created, updated, client] = ['created', 'updated', 'client'].map(textOfColumn);
  return { created, updated, client, exported };
}
