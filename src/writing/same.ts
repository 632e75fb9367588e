import { isNonEmptyString, isObject } from '../text/json-values.ts';

/** The resolvers that the service puts in front of identifiers (service.md, W17). */
const RESOLVER = /^https?:\/\/(?:dx\.|www\.)?(?:doi|orcid|ror)\.org\//i;
const DOI = /^10\.\d{4,}[\d.]*\/\S+$/;

/**
 * A text that is equal for two values that the service treats as the same; undefined for an empty
 * value. It ignores the order of members, empty members, the resolver in front of an identifier,
 * and the difference between a number and its text (service.md, W17), but not the order of items.
 * @param member the name of the value: a publisher or an affiliation may be a name alone.
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

/** Whether the service treats two values of a member as the same, see {@link sameKey}. */
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
