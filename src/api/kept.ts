import { isEvent, stateAfter } from './states.ts';

/** Members of a request that say what to do; a record does not keep them. */
const INSTRUCTIONS = new Set(['event', 'prefix', 'suffix', 'doi', 'mode', 'should_validate', 'xml']);

/**
 * What the service alone writes. A record that was read holds these attributes, and a request that sends them back
 * is not refused for it; they have no effect (observed).
 */
export const READ_ONLY: ReadonlySet<string> = new Set([
  ...['state', 'isActive', 'reason', 'source', 'created', 'registered', 'published', 'updated'],
  ...['metadataVersion', 'container', 'agency', 'landingPage'],
  ...['viewCount', 'downloadCount', 'citationCount', 'referenceCount'],
  ...['partCount', 'partOfCount', 'versionCount', 'versionOfCount'],
  ...['viewsOverTime', 'downloadsOverTime', 'citationsOverTime'],
]);

/**
 * Whether a record holds what was sent, each value in one of the spellings that the service gives it: publisher and
 * affiliations as names or objects, numbers as text, identifiers with their resolver in front, nothing for what is
 * empty. What the record holds besides does not matter.
 * @param kept the attributes of the record, best asked for with affiliations and publisher as objects.
 * @param sent the attributes of the request; an event must have led to its state.
 */
export function keeps(
  kept: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): boolean {
  const { event } = sent;
  if (isEvent(event) && stateAfter(event) !== kept['state']) return false;
  return Object.entries(sent).every(
    ([name, value]) => INSTRUCTIONS.has(name) || READ_ONLY.has(name) || sameValue(kept[name], value),
  );
}

function sameValue(kept: unknown, sent: unknown): boolean {
  if (isEmpty(sent)) return isEmpty(kept);
  if (Array.isArray(sent)) {
    const list = Array.isArray(kept) ? kept : isEmpty(kept) ? [] : [kept];
    return list.length === sent.length && sent.every((item, index) => sameValue(list[index], item));
  }
  if (isObject(sent)) {
    if (isObject(kept)) {
      const own = kept;
      return Object.entries(sent).every(([name, value]) => sameValue(own[name], value));
    }
    // Only the name of it was asked for.
    return 'name' in sent && sameText(kept, sent['name']);
  }
  return sameText(isObject(kept) && 'name' in kept ? kept['name'] : kept, sent);
}

function sameText(kept: unknown, sent: unknown): boolean {
  return kept === sent || spelled(kept) === spelled(sent);
}

/** Without a resolver in front, blanks around it, and the case of letters, which identifiers do not tell apart. */
function spelled(value: unknown): string {
  return String(value)
    .trim()
    .replace(/^https?:\/\/(dx\.|www\.)?(doi|orcid|ror)\.org\//i, '')
    .replace(/\/+$/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
