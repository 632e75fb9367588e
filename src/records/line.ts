import { usageError } from '../errors.ts';
import { wasRead } from '../metadata/kernel.ts';
import { parseRecord } from './document.ts';
import type { WriteCommand } from './entry.ts';
import { refuseUnknown } from './findings.ts';
import { type NamedDoi, namedDoi } from './named-dois.ts';
import type { Wish } from './plan.ts';
import { beginningOf, type Numbered, placeOf } from './record-source.ts';
import { type NewRecord, newRecord, requestOf, withUrl } from './sent-record.ts';

export interface LineOptions extends Omit<Wish, 'command'>, Numbered {
  readonly command: WriteCommand;
  /** Whether a line holds a record; else it only names a DOI, and the command line says what to do with that. */
  readonly holdsRecords: boolean;
  readonly prefix: string | undefined;
  /** The address of the landing page of records as XML, with `{doi}` or `{suffix}`. */
  readonly url?: string | undefined;
}

/** The DOI of a line, if it has one. A line that does not hold what the command needs is an error. */
export function doiOfLine(text: string, line: number, options: LineOptions): string | undefined {
  return (options.holdsRecords ? readLine(text, line, options).parsed : readName(text, line, options)).doi;
}

/** The DOI that a line names. Attributes that would not be sent are an error. */
export function readName(text: string, line: number, options: LineOptions): NamedDoi {
  const place = placeOf(options, line);
  const named = namedDoi(text, place);
  const [own] = (named.attributes ?? []).filter((one) => one !== 'id' && one !== 'type');
  if (options.command === 'update' && own !== undefined) {
    throw usageError(
      `${place} has attributes of its own (${own}), and with --set a line of many only names its DOI`,
      'send them without --set first, or leave them out: jq -r .doi',
    );
  }
  return named;
}

/** The record of one line, and what it asks for. Without the DOI or prefix that it needs it is an error. */
export function readLine(text: string, line: number, options: LineOptions): NewRecord {
  const parsed = withUrl(parseRecord(text, ...beginningOf(options, line)), options.url);
  const source = placeOf(options, line);
  if (options.command === 'create') return newRecord(parsed, source, options.event, options.prefix);
  const { event } = requestOf({ ...parsed, source }, options.event);
  if (parsed.doi === undefined)
    throw usageError(`${source}: the record names no doi`, 'name the doi of each record to update');
  const { attributes } = parsed;
  // What the service has added to a record since is compared with the record that is there.
  // The check of a row's cells names the column.
  const isLater = wasRead(attributes) || parsed.row !== undefined;
  if (options.validate && !isLater) refuseUnknown(source, attributes);
  return { parsed, event, prefix: undefined };
}
