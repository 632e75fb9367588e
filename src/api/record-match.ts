import { isObject, type JsonObject } from '../text/json-values.ts';
import { isEvent, stateAfter } from './states.ts';

/** Members of a request that say what to do; a record does not store them. */
const INSTRUCTIONS = new Set(['event', 'prefix', 'suffix', 'doi', 'mode', 'should_validate', 'xml']);

/** Attributes of a record that only the service writes. Sent back, they have no effect (service.md, W15). */
export const READ_ONLY: ReadonlySet<string> = new Set([
  ...['state', 'isActive', 'created', 'registered', 'published', 'updated'],
  ...['metadataVersion', 'agency', 'id'],
  ...['viewCount', 'downloadCount', 'citationCount', 'referenceCount'],
  ...['partCount', 'partOfCount', 'versionCount', 'versionOfCount'],
  ...['viewsOverTime', 'downloadsOverTime', 'citationsOverTime'],
]);

interface Matching {
  /** Whether a further non-empty member of a stored object, such as one from before, is a difference. */
  readonly exact: boolean;
  /** Whether another spelling of a text is a difference, unless the service would turn it into the stored one. */
  readonly spelling?: boolean;
}

/**
 * Whether a record holds what a request sent. The service may store a value in another spelling: publisher
 * and affiliations as names or objects, numbers as text, identifiers with a resolver in front, nothing for
 * empty values (service.md, W17). Attributes of the record that the request does not name are ignored; with
 * an event, the record must be in the state that it leads to.
 * @param record the attributes of the record, best read with affiliations and publisher as objects.
 */
export function matchesRequest(record: JsonObject, sent: JsonObject, matching: Matching): boolean {
  const { event } = sent;
  if (isEvent(event) && stateAfter(event) !== record['state']) return false;
  return Object.entries(sent).every(
    ([name, value]) =>
      INSTRUCTIONS.has(name) || READ_ONLY.has(name) || sameValue(record[name], value, matching),
  );
}

/** Whether two values differ at most in the service's spelling. */
export function sameValue(stored: unknown, sent: unknown, matching: Matching): boolean {
  if (isEmpty(sent)) return isEmpty(stored);
  if (Array.isArray(sent)) {
    const list = Array.isArray(stored) ? stored : isEmpty(stored) ? [] : [stored];
    return list.length === sent.length && sent.every((item, index) => sameValue(list[index], item, matching));
  }
  if (isObject(sent)) return sameMembers(stored, sent, matching);
  if (isObject(stored)) return 'name' in stored && sameValue(stored, { name: sent }, matching);
  if (stored === sent) return true;
  if (isEmpty(stored) || normalized(stored) !== normalized(sent)) return false;
  return !matching.spelling || String(stored) === String(sent) || WITH_RESOLVER.test(String(stored));
}

/** An identifier as the service holds it (service.md, W17). */
const WITH_RESOLVER = /^https:\/\/(doi|orcid|ror)\.org\//;

function sameMembers(stored: unknown, sent: JsonObject, matching: Matching): boolean {
  const own = isObject(stored) ? stored : { name: stored };
  // A record that was read with names in place of objects does not show the other members.
  const comparable = (name: string) => isObject(stored) || name === 'name' || matching.exact;
  return (
    Object.entries(sent).every(
      ([name, value]) => !comparable(name) || sameValue(own[name], value, matching),
    ) &&
    (!matching.exact || Object.entries(own).every(([name, value]) => name in sent || isEmpty(value)))
  );
}

/** An identifier without its resolver, and a DOI in lower case. */
function normalized(value: unknown): string {
  const bare = String(value)
    .trim()
    .replace(/^https?:\/\/(dx\.|www\.)?(doi|orcid|ror)\.org\//i, '');
  return /^10\.\d+\//.test(bare) ? bare.toLowerCase() : bare;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}
