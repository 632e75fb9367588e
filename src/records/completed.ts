import { isObject, type JsonObject } from '../text/json-values.ts';

/** Members that the service fills in by itself where they are not sent (service.md, W17). */
const COMPLETED: Readonly<Record<string, readonly string[]>> = {
  types: ['schemaOrg', 'bibtex', 'citeproc', 'ris'],
  rightsList: ['rights', 'rightsUri', 'rightsIdentifierScheme', 'schemeUri'],
};

/** The attributes of a record without what the service has filled in, and would fill in again after an update. */
export function withoutCompleted(stored: JsonObject, sent: JsonObject): JsonObject {
  const names = Object.keys(COMPLETED).filter((name) => name in sent);
  const own = names.map((name) => [name, withoutMembers(name, stored[name], sent[name])]);
  return { ...stored, ...Object.fromEntries(own) };
}

function withoutMembers(name: string, stored: unknown, sent: unknown): unknown {
  const completed = COMPLETED[name];
  if (completed === undefined) return stored;
  if (Array.isArray(stored)) {
    return stored.map((one, index) => withoutMembers(name, one, Array.isArray(sent) ? sent[index] : sent));
  }
  // Rights are completed by their identifier.
  const isCompleted = isObject(stored) && isObject(sent) && (name === 'types' || sent['rightsIdentifier']);
  if (!isCompleted) return stored;
  return Object.fromEntries(
    Object.entries(stored).filter(([member]) => member in sent || !completed.includes(member)),
  );
}
