import { ByteWriter } from '../records/byte-writer.ts';
import type { View } from '../records/source.ts';
import type { Catalogue, Entry } from './catalogue.ts';

/** Room for most records, in bytes. */
export const TYPICAL_RECORD = 5000;

/** One record as a JSON:API document: `{"data":{…}}`. */
export function resourceDocument(catalogue: Catalogue, entry: Entry, view: View): Buffer {
  const out = new ByteWriter(TYPICAL_RECORD);
  out.ascii('{"data":');
  catalogue.write(out, entry, view);
  out.ascii('}');
  return out.finish();
}

/**
 * A resource document in an answer about one record: its times come from the database and have
 * milliseconds (service.md, P17).
 */
export function singleDocument(catalogue: Catalogue, entry: Entry, view: View): string {
  const document = resourceDocument(catalogue, entry, view).toString();
  return document.replace(/"(created|registered|updated)":"([^"]{19})Z"/g, '"$1":"$2.000Z"');
}
