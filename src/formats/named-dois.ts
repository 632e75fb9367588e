import { usageError } from '../errors.ts';
import { exactDoi, parseDoi } from '../text/doi.ts';
import { exactJsonIn } from '../text/json.ts';
import { isNonEmptyString, isObject, type JsonObject, valueAt } from '../text/json-values.ts';
import { parseFrom } from '../text/parsers.ts';
import { type InputRecord, placeOf, type ReadContext } from './input/source.ts';
import { checkedBy, refuseOtherDois } from './json/read.ts';
import { openRecordFile } from './open.ts';

export interface NamedDoi {
  /** Undefined for a failed result without one. */
  readonly doi: string | undefined;
  /** Why the DOI must not be used: the line is a failed result. */
  readonly failure?: string | undefined;
  /** The attributes next to the DOI, where the line is an attributes object. */
  readonly attributes?: readonly string[];
}

/** The DOI of a record or line: bare, a URL, or in JSON (a text, result, record or attributes). */
export function namedDoi(record: InputRecord, place: string): NamedDoi {
  if (record.doi !== undefined) return { doi: record.doi() ?? withoutDoi(place) };
  const text = record.text.trim();
  const value = (/^[{["]/.test(text) && parseFrom(place, text, exactJsonIn)) || text;
  if (Array.isArray(value)) {
    throw usageError(`${place}: the line holds a list, not one DOI`, "jq -c '.[]' converts it");
  }
  const parsed: InObject = isObject(value) ? inObject(value, place) : { doi: value };
  const doi = parsed.doi ?? undefined;
  if (doi === undefined && parsed.failure !== undefined) return { ...parsed, doi };
  if (doi === undefined) return withoutDoi(place);
  try {
    // A record of the service may have an old DOI with any characters.
    const parse = isObject(value) && isObject(value['attributes']) ? exactDoi : parseDoi;
    return { ...parsed, doi: parse(typeof doi === 'string' ? doi : '') };
  } catch (error) {
    throw usageError(`${place}: ${(error as Error).message}`, HINT);
  }
}

const HINT = 'write one DOI per line';

function withoutDoi(place: string): never {
  throw usageError(`${place}: the line has no DOI`, HINT);
}

type InObject = Omit<NamedDoi, 'doi'> & { readonly doi: unknown };

function inObject(value: JsonObject, place: string): InObject {
  const { outcome, errors } = value;
  const checked = checkedBy(value);
  if (checked !== undefined) {
    const hint = 'name the file that was checked, or the results of a create or an update';
    throw usageError(`${place}: this is the result of ${checked}, which sent nothing`, hint);
  }
  if (typeof outcome === 'string') {
    // The DOI of a failed record may not exist, or may belong to another account.
    const first = valueAt(errors, [0, 'message']);
    const why = isNonEmptyString(first) ? `: ${first}` : '';
    const failure = `the run that printed this result failed for this record${why}`;
    return { doi: value['doi'], failure: outcome === 'failed' ? failure : undefined };
  }
  const resource = isObject(value['data']) ? value['data'] : value;
  const { id, attributes } = resource;
  refuseOtherDois(place, id, (isObject(attributes) ? attributes : value)['doi']);
  if (isObject(attributes)) return { doi: isNonEmptyString(id) ? id : attributes['doi'] };
  const { doi, ...others } = value;
  return { doi: isNonEmptyString(id) ? id : doi, attributes: Object.keys(others) };
}

/** The distinct DOIs of a file: of its lines, of an array, or of the rows of a spreadsheet. */
export async function readDois(context: ReadContext, file: string): Promise<readonly string[]> {
  const opened = await openRecordFile(context, file, { many: true, dois: true });
  const dois = new Map<string, string>();
  for await (const record of opened.records()) {
    const place = placeOf(opened, record.line);
    const { doi = withoutDoi(place) } = namedDoi(record, place);
    dois.set(doi.toLowerCase(), doi);
  }
  if (dois.size === 0)
    throw usageError(`${opened.name} holds no DOIs`, 'write one a line, such as 10.5072/abc');
  return [...dois.values()];
}
