import type { Attributes } from '../../api/dois.ts';
import { CliError } from '../../errors.ts';
import type { Finding } from '../../metadata/findings.ts';
import type { PlacedJson } from '../../text/json.ts';
import { isNonEmptyString, type JsonObject, type Path } from '../../text/json-values.ts';

/** A record as a file or the command line describes it. */
export interface ParsedRecord {
  /** The attributes as for a new record, made when read; {@link row} has edits of a stored one. */
  readonly attributes: Attributes;
  /** The DOI in its attributes, or the id of its resource object. */
  readonly doi: string | undefined;
  readonly source: string;
  /** The line on which the record begins, from 1; undefined where it is not in a file. */
  readonly line: number | undefined;
  /** The record as it was read from the service; undefined for a record written by hand. */
  readonly origin?: RecordOrigin | undefined;
  readonly json?: RecordJson | undefined;
  readonly row?: RowEdits | undefined;
}

/** What a file contains about the record that was read from the service. */
export interface RecordOrigin {
  /** Texts as in the file; a spreadsheet may have changed their form. */
  readonly created?: string | undefined;
  readonly updated?: string | undefined;
  readonly client?: string | undefined;
  /** What the export wrote, if the file contains it. */
  readonly exported?: ExportedRecord | undefined;
}

/** What an export wrote about a record. */
export interface ExportedRecord {
  /** Equal only for exports that wrote the same. */
  readonly id: string;
  readonly doi: string;
  /** The attributes with columns, `created` and `client`. Empty attributes may be missing. */
  readonly attributes: JsonObject;
  /** The names of the attributes with columns that are read. */
  readonly covered: ReadonlySet<string>;
}

interface RecordJson extends PlacedJson {
  /** The path of the attributes within `text`. */
  readonly at: Path;
  readonly attributes: Attributes;
  /** The whole document. */
  readonly value: unknown;
}

/** A row of a spreadsheet, as edits of a record that exists. */
export interface RowEdits {
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** The attributes for which cells have text. */
  readonly filled: ReadonlySet<string>;
  /** Findings about cells that a new record cannot contain. */
  readonly findings: readonly Finding[];
  /** Applies the cells to the attributes of a record. @param event explains a changed state. */
  applyTo(attributes: JsonObject, event?: string): RowChanges;
  /** Whether a time in a cell differs from the time of a record, as far as its form shows. */
  isOtherTime(cell: string, time: string): boolean;
  /** The head of a column in the file, for messages; undefined for a column that the row lacks. */
  headOf(column: string): string | undefined;
  /** The head of the column for a path; undefined where the row has no such column. */
  headAt(path: Path): string | undefined;
  /** The cells that edit an attribute. @param before the attributes that the cells edit. */
  editsIn(name: string, before: JsonObject): readonly CellEdit[];
}

export interface RowChanges {
  /** The attributes that differ from the record, complete with values that have no cell. */
  readonly attributes: JsonObject;
  readonly findings: readonly Finding[];
}

export interface CellEdit {
  readonly column: string;
  readonly head: string;
  /** The cell as messages show it. */
  readonly edited: string;
  /** The value of the column in a record, as messages show it. */
  shownIn(attributes: JsonObject): string;
}

/** Replaces the attributes of a record without computing the attributes of its row. */
export function withAttributes(
  { doi, source, line, origin, json, row }: ParsedRecord,
  attributes: Attributes,
): ParsedRecord {
  return { attributes, doi, source, line, origin, json, row };
}

/** An error for a text that is not a record. */
export class InvalidRecord extends CliError {
  readonly problem: string;
  /** The place of the problem in the text, each from 1, if known. */
  readonly at: { readonly line?: number; readonly character?: number };

  constructor(where: string, problem: string, at: InvalidRecord['at'] = {}, hint?: string) {
    super('usage', `${where}: ${problem}`, { hint });
    this.problem = problem;
    this.at = at;
  }
}

/** The source in messages about a record that options describe. */
export const OPTIONS = 'the record';

/** A record that is not in a file. @param source in messages: {@link OPTIONS} or an option. */
export function recordOf(attributes: JsonObject, source: string): ParsedRecord {
  const doi = isNonEmptyString(attributes['doi']) ? attributes['doi'] : undefined;
  return { attributes, doi, source, line: undefined };
}
