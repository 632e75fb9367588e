import { INSTRUCTIONS, READ_ONLY } from '../../api/record-match.ts';
import { type Finding, findingAt } from '../../metadata/findings.ts';
import type { JsonObject, Path } from '../../text/json-values.ts';
import type {
  CellEdit,
  ExportedRecord,
  RecordOrigin,
  RowChanges,
  RowEdits,
} from '../input/record.ts';
import { CLEAR, fromCell } from './cell.ts';
import { type Cell, columnAt, EXPORTED, OUTPUT_ONLY } from './column.ts';
import { compareCell, isOtherTime, shownText } from './compare.ts';
import { exportedIn } from './exported.ts';
import { rowChanges } from './row.ts';
import { textOf, valueIn } from './value.ts';

const PARTIAL = findingAt('warning', [EXPORTED], {
  message: 'is missing or damaged: values without a column are not in the new record; use NDJSON',
});

/** Exported attributes that a new record does not get. It is checked for the exported state. */
const OWN = new Set(
  [...READ_ONLY, ...INSTRUCTIONS, ...OUTPUT_ONLY].filter((name) => name !== 'state'),
);

/** A row, as a new record or as edits of a stored one. */
export class SpreadsheetRow implements RowEdits {
  readonly columns: readonly string[];
  readonly filled: ReadonlySet<string>;
  /** What the row contains about the exported record; undefined in a table made by hand. */
  readonly origin: RecordOrigin | undefined;
  readonly #cells: readonly Cell[];
  /** The attribute of each cell that is read. */
  readonly #roots: readonly string[];
  readonly #heads: Readonly<Record<string, string>>;
  #asNew: RowChanges | undefined;
  /** The edits of the exported values. */
  #edits: RowChanges | undefined;

  constructor(cells: readonly Cell[], heads: Readonly<Record<string, string>>) {
    this.#cells = cells;
    this.#heads = heads;
    this.columns = cells.map(({ column }) => column.name);
    const read = cells.filter(({ column }) => column.types.length > 0);
    this.#roots = read.map(({ column }) => String(column.path[0]));
    this.filled = new Set(this.#roots.filter((_, index) => read[index]?.cell !== ''));
    const isExport = this.columns.some((name) => name === EXPORTED || OUTPUT_ONLY.includes(name));
    this.origin = isExport ? originOf(cells) : undefined;
  }

  /** The attributes of a new record, and the findings about its cells. */
  get asNew(): RowChanges {
    this.#asNew ??= this.#made();
    return this.#asNew;
  }

  /** A new record has the exported values and the edits: not every value has a column. */
  #made(): RowChanges {
    const { exported, updated } = this.origin ?? {};
    const isExport = exported !== undefined;
    const copied = Object.entries(exported?.attributes ?? {}).filter(([name]) => !OWN.has(name));
    const before = isExport ? Object.fromEntries(copied) : undefined;
    // An event sets the state, so that its cell is no edit.
    const { attributes, findings } = rowChanges(this.#cells, before, {
      event: 'publish',
      isExport,
    });
    const values = Object.entries({ ...before, ...attributes });
    const isPartial = !isExport && (updated !== undefined || this.columns.includes(EXPORTED));
    return {
      attributes: Object.fromEntries(values.filter(([, value]) => value !== null)),
      findings: isPartial ? [PARTIAL, ...findings] : findings,
    };
  }

  get findings(): readonly Finding[] {
    return this.asNew.findings;
  }

  applyTo(attributes: JsonObject, event?: string): RowChanges {
    const exported = this.origin?.exported?.attributes;
    const isExported = this.#roots.every((root) => attributes[root] === exported?.[root]);
    const isExport = this.origin !== undefined;
    if (exported === undefined || event !== undefined || !isExported)
      return rowChanges(this.#cells, attributes, { event, isExport });
    this.#edits ??= rowChanges(this.#cells, exported, { isExport });
    return this.#edits;
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

  editsIn(name: string, before: JsonObject): readonly CellEdit[] {
    const edited = this.#cells.filter(
      (cell) => cell.column.path[0] === name && this.#isEdit(cell, before),
    );
    return edited.map(({ column, cell }) => ({
      column: column.name,
      head: this.#heads[column.name] ?? column.name,
      edited: shownText(fromCell(cell === CLEAR ? '' : cell)),
      shownIn: (attributes) => shownText(textOf(valueIn(attributes, column.path, column.rest))),
    }));
  }

  #isEdit({ column, cell }: Cell, before: JsonObject): boolean {
    if (cell === '' || column.types.length === 0) return false;
    const value = valueIn(before, column.path, column.rest);
    return !compareCell(column, cell, value, this.origin !== undefined).isSame;
  }
}

function originOf(cells: readonly Cell[]): RecordOrigin {
  const textOfColumn = (name: string) =>
    cells.find(({ column }) => column.name === name)?.cell.trim() || undefined;
  const exported: ExportedRecord | undefined = exportedIn(textOfColumn(EXPORTED) ?? '');
  const [created, updated, client] = ['created', 'updated', 'client'].map(textOfColumn);
  return { created, updated, client, exported };
}
