import type { Attributes } from '../../api/dois.ts';
import { CliError } from '../../errors.ts';
import type { Finding } from '../../metadata/findings.ts';
import type { PlacedJson } from '../../text/json.ts';
import { isNonEmptyString, type JsonObject, type Path } from '../../text/json-values.ts';

/** A record as a file or the command line describes it. */
export interface ParsedRecord {
  /**
   * The attributes of a new record. What they change of a stored one is for {@link row} to say,
   * where there is one.
   */
  readonly attributes: Attributes;
  /** The DOI in its attributes, or the id of its resource object. */
  readonly doi: string | undefined;
  readonly source: string;
  /**
   * The line of the file on which the record begins, from 1; undefined where it is not in a file.
   */
  readonly line: number | undefined;
  /**
   * What it says of the record that it was read from; undefined for a record that was written by
   * hand.
   */
  readonly origin?: RecordOrigin | undefined;
  readonly json?: RecordJson | undefined;
  readonly row?: RowEdits | undefined;
}

/** A record as it was read from the service, as far as a file says so. */
export interface RecordOrigin {
  /** Texts as they stand in the file; a spreadsheet may have changed their form. */
  readonly created?: string | undefined;
  readonly updated?: string | undefined;
  readonly client?: string | undefined;
  /** What the export wrote, where the file holds it. */
  readonly exported?: ExportedRecord | undefined;
}

/** What an export wrote about one record. */
export interface ExportedRecord {
  /** Two exports have the same text only if they wrote the same. */
  readonly id: string;
  readonly doi: string;
  /**
   * The attributes that have columns, and `created` and `client`. An attribute that is empty may be
   * missing.
   */
  readonly attributes: JsonObject;
  /** The names of the attributes that have columns. */
  readonly covered: ReadonlySet<string>;
}

interface RecordJson extends PlacedJson {
  /** The path of the attributes within `text`. */
  readonly at: Path;
  readonly attributes: Attributes;
}

/** The row of a spreadsheet, as far as it edits a record that exists. */
export interface RowEdits {
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** The attributes that cells with text are about. */
  readonly filled: ReadonlySet<string>;
  /** Cells that cannot be taken for a new record. */
  readonly findings: readonly Finding[];
  /**
   * Puts the cells into the attributes of a record. @param event that may have changed the state
   * since.
   */
  applyTo(attributes: JsonObject, event?: string): RowChanges;
  /**
   * Whether a time in a cell is another one than that of a record, as far as the form of the cell
   * tells.
   */
  isOtherTime(cell: string, time: string): boolean;
  /**
   * A column as messages name it: by its head in the file; undefined for a name that is no column
   * of the row.
   */
  headOf(column: string): string | undefined;
  /** The column of a path as messages name it; undefined where none is about it. */
  headAt(path: Path): string | undefined;
  /**
   * The cells whose edits are in conflict. @param conflict with its path, and its value in the row.
   * @param before the attributes that the cells edit.
   */
  editsIn(conflict: EditPlace, before: JsonObject): readonly CellEdit[];
}

/**
 * An edited value: its path, whose index is the place in the edited list, or in the one before for
 * a removed item.
 */
export interface EditPlace {
  readonly path: Path;
  /** Undefined for a removed item. */
  readonly mine: unknown;
}

export interface RowChanges {
  /** The attributes that differ from those of the record, complete with what has no cell. */
  readonly attributes: JsonObject;
  readonly findings: readonly Finding[];
}

export interface CellEdit {
  readonly column: string;
  readonly head: string;
  /** The cell as a message shows it. */
  readonly edited: string;
  /** What the column has of a value at the path of the conflict, as a message shows it. */
  shownIn(value: unknown): string;
}

/** Text that is no record. */
export class InvalidRecord extends CliError {
  readonly problem: string;
  /** Where in the text it is, each from 1, if it is in one place. */
  readonly at: { readonly line?: number; readonly character?: number };

  constructor(where: string, problem: string, at: InvalidRecord['at'] = {}, hint?: string) {
    super('usage', `${where}: ${problem}`, { hint });
    this.problem = problem;
    this.at = at;
  }
}

/** What options that describe a record are called in messages. */
export const OPTIONS = 'the record';

/** A record that is in no file. @param source {@link OPTIONS}, or `--set`. */
export function recordOf(attributes: JsonObject, source: string): ParsedRecord {
  const doi = isNonEmptyString(attributes['doi']) ? attributes['doi'] : undefined;
  return { attributes, doi, source, line: undefined };
}
