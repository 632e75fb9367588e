import { isNonEmptyString, isObject } from '../text/json-values.ts';

/**
 * The resolvers in front of identifiers, which the service puts there by itself (service.md, W17).
 */
const RESOLVER = /^https?:\/\/(?:dx\.|www\.)?(?:doi|orcid|ror)\.org\//i;
const DOI = /^10\.\d{4,}[\d.]*\/\S+$/;

/**
 * A text that two values share if they are the same to the service; undefined for an empty value.
 * The order of members does not count, nor do empty members, nor the resolver in front of an
 * identifier; a number is its text (service.md, W17). The items of a list count in their order.
 * @param member that holds the value: the name of a publisher or an affiliation may stand in the
 *   place of the object.
 */
export function sameKey(
  value: unknown,
  member: string | number | undefined = undefined,
): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return listKey(value, member);
  if (isObject(value)) return objectKey(value);
  const isName = (member === 'publisher' || member === 'affiliation') && isNonEmptyString(value);
  return isName ? objectKey({ name: value }) : JSON.stringify(bareIdentifier(String(value)));
}

/** Whether two values of a member are the same to the service, see {@link sameKey}. */
export function same(value: unknown, other: unknown, member?: string | number): boolean {
  return value === other || sameKey(value, member) === sameKey(other, member);
}

function listKey(
  list: readonly unknown[],
  member: string | number | undefined,
): string | undefined {
  const items = list.map((item) => sameKey(item, member)).filter((key) => key !== undefined);
  return items.length === 0 ? undefined : `[${items.join()}]`;
}

function objectKey(object: Readonly<Record<string, unknown>>): string | undefined {
  const members: string[] = [];
  for (const name of Object.keys(object).sort()) {
    const key = sameKey(object[name], name);
    if (key !== undefined) members.push(`${JSON.stringify(name)}:${key}`);
  }
  return members.length === 0 ? undefined : `{${members.join()}}`;
}

function bareIdentifier(text: string): string {
  const bare = text.replace(RESOLVER, '');
  return DOI.test(bare) ? bare.toLowerCase() : bare;
}
