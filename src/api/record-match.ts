import { isObject } from '../text/json-values.ts';
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
 * @param alone whether the values that were sent must hold nothing besides: after an update, an old one may be there.
 */
export function keeps(
  kept: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
  alone = false,
): boolean {
  const { event } = sent;
  if (isEvent(event) && stateAfter(event) !== kept['state']) return false;
  return Object.entries(sent).every(
    ([name, value]) => INSTRUCTIONS.has(name) || READ_ONLY.has(name) || sameValue(kept[name], value, alone),
  );
}

/** Whether two values are the same but for how the service spells them. */
export function sameValue(kept: unknown, sent: unknown, alone: boolean): boolean {
  if (isEmpty(sent)) return isEmpty(kept);
  if (Array.isArray(sent)) {
    const list = Array.isArray(kept) ? kept : isEmpty(kept) ? [] : [kept];
    return list.length === sent.length && sent.every((item, index) => sameValue(list[index], item, alone));
  }
  if (isObject(sent)) {
    const own = isObject(kept) ? kept : { name: kept };
    const more = alone ? Object.keys(own).filter((name) => !(name in sent)) : [];
    return (
      Object.entries(sent).every(([name, value]) =>
        // Only the name of it may have been asked for.
        isObject(kept) || name === 'name' || alone ? sameValue(own[name], value, alone) : true,
      ) && more.every((name) => isEmpty(own[name]))
    );
  }
  if (isObject(kept)) return 'name' in kept && sameValue(kept, { name: sent }, alone);
  return kept === sent || spelled(kept) === spelled(sent);
}

/** Without a resolver in front of an identifier, and without case where that does not matter. */
function spelled(value: unknown): string {
  const bare = String(value)
    .trim()
    .replace(/^https?:\/\/(dx\.|www\.)?(doi|orcid|ror)\.org\//i, '');
  return /^10\.\d+\//.test(bare) ? bare.toLowerCase() : bare;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}
