import { isObject, type JsonObject, listOf, objectsOf } from '../text/json-values.ts';
import { isEvent, stateAfter } from './states.ts';

/** Members of a request that say what to do; a record does not store them. */
export const INSTRUCTIONS: ReadonlySet<string> = new Set([
  'event',
  'prefix',
  'suffix',
  'doi',
  'mode',
  'should_validate',
  'xml',
]);

/**
 * Attributes of a record that only the service writes. Sent back, they have no effect (service.md,
 * W15).
 */
export const READ_ONLY: ReadonlySet<string> = new Set([
  ...['state', 'isActive', 'created', 'registered', 'published', 'updated'],
  ...['metadataVersion', 'agency', 'id'],
  ...['viewCount', 'downloadCount', 'citationCount', 'referenceCount'],
  ...['partCount', 'partOfCount', 'versionCount', 'versionOfCount'],
  ...['viewsOverTime', 'downloadsOverTime', 'citationsOverTime'],
]);

interface Matching {
  /**
   * Whether a further non-empty member of a stored object, such as one from before, is a
   * difference.
   */
  readonly exact: boolean;
  /**
   * Whether another spelling of a text is a difference, unless the service would turn it into the
   * stored one.
   */
  readonly spelling?: boolean;
}

/**
 * Whether a record holds what a request sent, in a spelling of the service (service.md, W17).
 * Attributes that the request does not name are ignored; with an event, the record must be in the
 * state that it leads to.
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

/**
 * Attributes that every record shows, as they were sent apart from spelling (service.md, W17, W20).
 */
const SHOWN: ReadonlySet<string> = new Set([
  ...[
    'url',
    'titles',
    'creators',
    'contributors',
    'publisher',
    'publicationYear',
    'subjects',
    'dates',
  ],
  ...['language', 'types', 'identifiers', 'relatedIdentifiers', 'relatedItems', 'sizes', 'formats'],
  ...['version', 'rightsList', 'descriptions', 'geoLocations', 'fundingReferences', 'reason'],
]);

/**
 * The first attribute in which a record certainly does not hold what a request sent; undefined if
 * there is none.
 * @param before the record before an update: what the service stores in a form of its own has
 *   changed at least.
 */
export function unstoredAttribute(
  record: JsonObject,
  sent: JsonObject,
  before: JsonObject | undefined,
): string | undefined {
  // Another request than an update of the attributes (service.md, W19).
  if ('mode' in sent) return undefined;
  return Object.keys(sent).find((name) => SHOWN.has(name) && !isStored(name, record, sent, before));
}

function isStored(
  name: string,
  record: JsonObject,
  sent: JsonObject,
  before: JsonObject | undefined,
): boolean {
  // One text is taken for such a list (service.md, S3).
  const isText = typeof sent[name] === 'string' && (name === 'rightsList' || name === 'subjects');
  const sentValue = isText
    ? [{ [name === 'subjects' ? 'subject' : 'rights']: sent[name] }]
    : sent[name];
  // A null has no effect next to XML, and none for the publisher (service.md, W16, W18).
  if (isEmpty(sentValue) && ('xml' in sent || sentValue === sent['publisher'])) return true;
  // The service makes a code of another language (service.md, S7).
  if (name === 'language' && !/^[a-z]{2}$/.test(String(sentValue))) return true;
  const exact = before !== undefined;
  const [stored, expected, old] = [
    withoutCompleted(record, sent),
    { [name]: sentValue },
    before ?? {},
  ].map((attributes) => withoutOwn(name, attributes[name], record));
  if (sameValue(stored, expected, { exact })) return true;
  if (name === 'rightsList' && listOf(expected).length === listOf(stored).length) {
    // It completes rights by any of their members, and puts its own words in their place.
    const isOwn = (right: JsonObject, index: number) =>
      !right['rightsIdentifier'] || sameRight(right, objectsOf(stored)[index]);
    if (objectsOf(expected).every(isOwn)) return true;
  }
  return exact && !isEmpty(stored) && !sameValue(stored, old, { exact: false });
}

const sameRight = (right: JsonObject, other: JsonObject | undefined) =>
  String(right['rightsIdentifier']).toLowerCase() ===
  String(other?.['rightsIdentifier']).toLowerCase();

/**
 * A list without what the service adds to it or takes from it (service.md, S8, W20); another value
 * as it is.
 */
function withoutOwn(name: string, value: unknown, { doi, url }: JsonObject): unknown {
  if (name === 'identifiers') {
    return objectsOf(value).filter(
      ({ identifierType, identifier }) =>
        identifierType !== 'DOI' &&
        normalized(identifier) !== normalized(doi) &&
        identifier !== url,
    );
  }
  if (name !== 'subjects') return value;
  const subjects = listOf(value).flatMap((item) => {
    const { subject, subjectScheme } = isObject(item)
      ? item
      : { subject: item, subjectScheme: undefined };
    return /Fields of Science/.test(String(subjectScheme)) ? [] : [subject];
  });
  return [...new Set(subjects)];
}

/** Whether two values differ at most in the service's spelling. */
export function sameValue(stored: unknown, sent: unknown, matching: Matching): boolean {
  if (isEmpty(sent)) return isEmpty(stored);
  if (Array.isArray(sent)) {
    const list = Array.isArray(stored) ? stored : isEmpty(stored) ? [] : [stored];
    return (
      list.length === sent.length &&
      sent.every((item, index) => sameValue(list[index], item, matching))
    );
  }
  if (isObject(sent)) return sameMembers(stored, sent, matching);
  if (typeof stored === 'number' && !matching.spelling)
    return stored === Number.parseFloat(String(sent));
  // The service makes a number of the text.
  if (typeof stored === 'number' && stored === Number(sent)) return true;
  if (isObject(stored)) return 'name' in stored && sameValue(stored, { name: sent }, matching);
  if (stored === sent) return true;
  if (isEmpty(stored) || normalized(stored) !== normalized(sent)) return false;
  return (
    !matching.spelling || String(stored) === String(sent) || WITH_RESOLVER.test(String(stored))
  );
}

/** An identifier as the service holds it (service.md, W17). */
const WITH_RESOLVER = /^https:\/\/(doi|orcid|ror)\.org\//;

function sameMembers(stored: unknown, sent: JsonObject, matching: Matching): boolean {
  const members = isObject(stored) ? stored : { name: stored };
  // A record that was read with names in place of objects does not show the other members.
  const comparable = (name: string) => isObject(stored) || name === 'name' || matching.exact;
  return (
    Object.entries(sent).every(
      ([name, value]) => !comparable(name) || sameValue(members[name], value, matching),
    ) &&
    (!matching.exact ||
      Object.entries(members).every(([name, value]) => name in sent || isEmpty(value)))
  );
}

/**
 * A text without tags, references and needless white space, an identifier without its resolver, a
 * DOI in lower case.
 */
function normalized(value: unknown): string {
  const bare = String(value)
    .replace(/&(?:lt|gt|(amp));/g, (whole, amp) => (amp ? '&' : whole === '&lt;' ? '<' : '>'))
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^https?:\/\/(dx\.|www\.)?(doi|orcid|ror)\.org\//i, '');
  return /^10\.\d+\//.test(bare) ? bare.toLowerCase() : bare;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

/** Members that the service fills in by itself where they are not sent (service.md, W17). */
const COMPLETED: Readonly<Record<string, readonly string[]>> = {
  types: ['schemaOrg', 'bibtex', 'citeproc', 'ris'],
  rightsList: ['rights', 'rightsUri', 'rightsIdentifierScheme', 'schemeUri'],
};

/**
 * The attributes of a record without what the service has filled in, and would fill in again after
 * an update.
 */
export function withoutCompleted(stored: JsonObject, sent: JsonObject): JsonObject {
  const names = Object.keys(COMPLETED).filter((name) => name in sent);
  const entries = names.map((name) => [name, withoutMembers(name, stored[name], sent[name])]);
  return { ...stored, ...Object.fromEntries(entries) };
}

function withoutMembers(name: string, stored: unknown, sent: unknown): unknown {
  const completed = COMPLETED[name];
  if (completed === undefined) return stored;
  if (Array.isArray(stored)) {
    return stored.map((item, index) =>
      withoutMembers(name, item, Array.isArray(sent) ? sent[index] : sent),
    );
  }
  // Rights are completed by their identifier.
  const isCompleted =
    isObject(stored) && isObject(sent) && (name === 'types' || sent['rightsIdentifier']);
  if (!isCompleted) return stored;
  return Object.fromEntries(
    Object.entries(stored).filter(([member]) => member in sent || !completed.includes(member)),
  );
}
