import { usageError } from '../errors.ts';
import type { ParsedRecord } from './document.ts';

/**
 * A record of XML, which holds no address of a landing page, with one.
 * @param url an address, in which `{doi}` and `{suffix}` stand for those of the record.
 * @throws {CliError} kind `usage` for a record that is no XML, or lacks the DOI that the address needs.
 */
export function withUrl(record: ParsedRecord, url: string | undefined): ParsedRecord {
  if (url === undefined) return record;
  const { json, row, doi, source } = record;
  if (json !== undefined || row !== undefined) {
    throw usageError(
      '--url and --file exclude each other, unless the file is XML',
      'write the url into the file',
    );
  }
  const made = url.replace(/\{(doi|suffix)\}/g, (_, part: string) => {
    if (doi === undefined) throw usageError(`${source} names no DOI, which --url ${url} needs`);
    return encodeURI(part === 'doi' ? doi : doi.slice(doi.indexOf('/') + 1));
  });
  return { ...record, attributes: { ...record.attributes, url: made } };
}
