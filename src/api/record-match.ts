import { isObject, type JsonObject, type Path, pathText } from '../text/json-values.ts';
import { isEvent, stateAfter } from './states.ts';

/** Instructions in a request, which a record does not store. */
export const INSTRUCTIONS: ReadonlySet<string> = new Set(
  'event prefix suffix doi mode should_validate xml'.split(' '),
);

/** Attributes that only the service writes; sent back, they have no effect (service.md, W15). */
export const READ_ONLY: ReadonlySet<string> = new Set(
  `state isActive created registered published updated metadataVersion agency id
   providerId clientId
   viewCount downloadCount citationCount referenceCount
   partCount partOfCount versionCount versionOfCount
   viewsOverTime downloadsOverTime citationsOverTime`.split(/\s+/),
);

interface Matching {
  /** Whether additional non-empty members of a stored object are a difference. */
  readonly exact: boolean;
  /** Whether other spellings are a difference. */
  readonly spelling?: boolean;
}

/**
 * Whether a record contains what a request sent, in the service's spelling (service.md, W17). Other
 * attributes are ignored; after an event, the record must be in the state of that event.
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

/** The attributes of a request that a record returns (service.md, W17). */
const SHOWN: ReadonlySet<string> = new Set(
  `url titles creators contributors publisher publicationYear subjects dates language types
   identifiers relatedIdentifiers relatedItems sizes formats version rightsList descriptions
   geoLocations fundingReferences reason`.split(/\s+/),
);

/**
 * The first attribute of a request that a record certainly has not stored; undefined if all are.
 * @param sent the attributes as the service writes them.
 * @param before the record before an update: a value that the service stores in another form must
 *   at least have changed.
 */
export function unstoredAttribute(
  record: JsonObject,
  sent: JsonObject,
  before: JsonObject | undefined,
): string | undefined {
  // A transfer updates no attributes (service.md, W19).
  if ('mode' in sent) return undefined;
  return Object.keys(sent).find((name) => SHOWN.has(name) && !isStored(name, record, sent, before));
}

function isStored(
  name: string,
  record: JsonObject,
  sent: JsonObject,
  before: JsonObject | undefined,
): boolean {
  const [value, stored] = [sent[name], record[name]];
  // A null has no effect next to XML, nor for the publisher (service.md, W16, W18).
  if (isEmpty(value) && ('xml' in sent || value === sent['publisher'])) return true;
  // The service knows more names of languages (service.md, S7).
  if (name === 'language' && !/^[a-z]{2}$/.test(String(value))) return true;
  const exact = before !== undefined;
  if (sameValue(stored, value, { exact })) return true;
  return exact && !isEmpty(stored) && !sameValue(stored, before[name], { exact: false });
}

/** A value that the service stores in another form than it was sent. */
export interface Respelling {
  /** The attribute. */
  readonly name: string;
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The values that the service stored in another form than they were sent. Members that it adds, and
 * a number in place of its text, do not count.
 * @param compared the record and the request as {@link sameValue} compares them.
 */
export function respelledValues(
  stored: JsonObject,
  sent: JsonObject,
  compared: readonly [stored: JsonObject, sent: JsonObject],
): readonly Respelling[] {
  const [record, request] = compared;
  return Object.entries(sent).flatMap(([name, value]) => {
    const isRewritten = sameValue(record[name], request[name], { exact: false });
    const isValue =
      isRewritten && !INSTRUCTIONS.has(name) && !READ_ONLY.has(name) && name !== 'schemaVersion';
    return isValue && name in stored ? respelledAt([name], value, stored[name]) : [];
  });
}

function respelledAt(path: Path, sent: unknown, stored: unknown): readonly Respelling[] {
  if ((sent ?? '') === '' || sameValue(stored, sent, { exact: false, spelling: true })) return [];
  if (path.at(-1) === 'rightsIdentifier' && String(sent).toLowerCase() === stored) return [];
  const isList = Array.isArray(sent) && Array.isArray(stored) && sent.length === stored.length;
  if (!isList && !(isObject(sent) && isObject(stored)))
    return [{ name: String(path[0]), path: pathText(path), before: sent, after: stored }];
  const steps: readonly (string | number)[] = isList ? [...sent.keys()] : Object.keys(sent);
  const at = (value: unknown, step: string | number) =>
    (value as Readonly<Record<string | number, unknown>>)[step];
  return steps.flatMap((step) => respelledAt([...path, step], at(sent, step), at(stored, step)));
}

/** Whether two values differ only in the service's spelling. */
function sameValue(stored: unknown, sent: unknown, matching: Matching): boolean {
  if (isEmpty(sent)) return isEmpty(stored);
  if (Array.isArray(sent)) {
    const list = Array.isArray(stored) ? stored : [stored].filter((item) => !isEmpty(item));
    return (
      list.length === sent.length &&
      sent.every((item, index) => sameValue(list[index], item, matching))
    );
  }
  if (isObject(sent)) return sameMembers(stored, sent, matching);
  // The service converts the text to a number.
  if (typeof stored === 'number' && stored === Number(sent)) return true;
  if (isObject(stored)) return 'name' in stored && sameValue(stored, { name: sent }, matching);
  if (isEmpty(stored)) return false;
  return matching.spelling
    ? String(stored) === String(sent)
    : normalized(stored) === normalized(sent);
}

/**
 * Whether the service stores two values identically: empty members, the order of members, and the
 * difference between a number and its text do not matter (service.md, W17, W21), but the order of
 * items and the spelling of texts do.
 */
export function same(stored: unknown, sent: unknown): boolean {
  return sameValue(stored, sent, { exact: true, spelling: true });
}

function sameMembers(stored: unknown, sent: JsonObject, matching: Matching): boolean {
  const members = isObject(stored) ? stored : { name: stored };
  // A record that was read with names instead of objects does not show their other members.
  const comparable = (name: string) => isObject(stored) || name === 'name' || matching.exact;
  return (
    Object.entries(sent).every(
      ([name, value]) => !comparable(name) || sameValue(members[name], value, matching),
    ) &&
    (!matching.exact ||
      Object.entries(members).every(([name, value]) => name in sent || isEmpty(value)))
  );
}

/** A text without tags, entities, extra white space and resolver; a DOI in lower case. */
function normalized(value: unknown): string {
  const bare = String(value)
    .replace(/&(lt|gt|amp);/g, (_, name: keyof typeof REFERENCES) => REFERENCES[name])
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(RESOLVER, '');
  return lowerCaseDoi(bare);
}

const lowerCaseDoi = (text: string) => (/^10\.\d+\//.test(text) ? text.toLowerCase() : text);

const REFERENCES = { lt: '<', gt: '>', amp: '&' } as const;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

/** The resolvers that the service puts in front of identifiers of XML (service.md, W17). */
const RESOLVER = /^https?:\/\/(?:dx\.|www\.)?(?:doi|orcid|ror)\.org\//i;
