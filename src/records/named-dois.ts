import { usageError } from '../errors.ts';
import { exactJsonIn } from '../text/json.ts';
import { isNonEmptyString, isObject, type JsonObject, valueAt } from '../text/json-values.ts';
import { parseDoi, parseFrom } from '../text/parsers.ts';
import { checkedBy, parseRecord, refuseTwoDois } from './document.ts';
import { openRecordFile } from './record-file.ts';
import { placeOf } from './record-source.ts';
import type { RunContext } from './run-context.ts';

export interface NamedDoi {
  /** Undefined for a failed result without one. */
  readonly doi: string | undefined;
  /** Why the DOI is not to be used: the run that printed this result failed with it. */
  readonly failure?: string | undefined;
  /** The attributes next to the DOI, where the line is an attributes object. */
  readonly attributes?: readonly string[];
}

/** The DOI that a line names: bare, as a URL, or in JSON as a text, a result, a record or attributes. */
export function namedDoi(line: string, place: string): NamedDoi {
  const text = line.trim();
  const value = /^[{["]/.test(text) ? parseFrom(place, text, exactJsonIn) : text;
  if (Array.isArray(value)) {
    throw usageError(`${place}: the line holds a list, not one DOI`, "jq -c '.[]' converts it");
  }
  const found: InObject = isObject(value) ? inObject(value, place) : { doi: value };
  const doi = found.doi ?? undefined;
  if (doi === undefined && found.failure !== undefined) return { ...found, doi };
  const hint = 'write one DOI per line';
  if (doi === undefined) throw usageError(`${place}: the line names no DOI`, hint);
  if (/^[^{["].*[,;]$/.test(text)) throw usageError(`${place}: '${text}' ends with '${text.at(-1)}'`, hint);
  try {
    return { ...found, doi: parseDoi(typeof doi === 'string' ? doi : '') };
  } catch (error) {
    throw usageError(`${place}: ${(error as Error).message}`, hint);
  }
}

type InObject = Omit<NamedDoi, 'doi'> & { readonly doi: unknown };

function inObject(value: JsonObject, place: string): InObject {
  const { outcome, errors } = value;
  if (value['isXml'] === true) return { doi: parseRecord(JSON.stringify(value), place).doi };
  const checked = checkedBy(value);
  if (checked !== undefined) {
    const hint = 'name the file that was checked, or the results of a create or an update';
    throw usageError(`${place}: this is the result of ${checked}, which sent nothing`, hint);
  }
  if (typeof outcome === 'string') {
    // A DOI that was only reserved for a failed record may not exist, or be another's.
    const first = valueAt(errors, [0, 'message']);
    const why = isNonEmptyString(first) ? `: ${first}` : '';
    const failure = `the run that printed this result failed for this record${why}`;
    return { doi: value['doi'], failure: outcome === 'failed' ? failure : undefined };
  }
  const resource = isObject(value['data']) ? value['data'] : value;
  const { id, attributes } = resource;
  refuseTwoDois(place, id, (isObject(attributes) ? attributes : value)['doi']);
  if (isObject(attributes)) return { doi: isNonEmptyString(id) ? id : attributes['doi'] };
  // The other columns of a row are not attributes to send.
  const { doi, cells: _, heads: __, ...others } = value;
  return { doi: isNonEmptyString(id) ? id : doi, attributes: Object.keys(others) };
}

/** The different DOIs of a file: one a line, as above, or of an array, or of the rows of a spreadsheet. */
export async function readDois(context: RunContext, file: string): Promise<readonly string[]> {
  const opened = await openRecordFile(context, file, { many: true, dois: true });
  const dois = new Map<string, string>();
  for await (const { text, line } of opened.records()) {
    const place = placeOf(opened, line);
    const { doi } = namedDoi(text, place);
    if (doi === undefined) throw usageError(`${place}: the line names no DOI`);
    dois.set(doi.toLowerCase(), doi);
  }
  if (dois.size === 0)
    throw usageError(`${opened.name} holds no DOIs`, 'write one a line, such as 10.5072/abc');
  return [...dois.values()];
}
