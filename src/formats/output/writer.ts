import type { WalkedPage } from '../../harvest/walk/repeat-guard.ts';
import type { Sink } from '../../ui/sink.ts';

/** The hint for records that are too large for a format: NDJSON holds records of any size. */
export const OTHER_FORMAT = 'use --format ndjson';

/** Writes DOI records in one format, a page at a time. */
export interface RecordWriter {
  /** Writes at most `most` of a page's records. */
  page(walked: WalkedPage, most: number): Promise<void>;
  /** Writes what follows the last record. */
  end(): Promise<void>;
}

export interface WriterOptions {
  /** The columns of tables and CSV, if not the usual ones. */
  readonly fields: readonly string[] | undefined;
  /** Whether rows hold what was exported, so that an update can tell what was edited. */
  readonly isEditable: boolean;
  readonly warn: (text: string) => void;
}

/** Makes the writer of a format. @param sink gets the bytes of stdout or of a file. */
export type MakeWriter = (sink: Sink, options: WriterOptions) => RecordWriter;
