import { same, sameKey } from '../api/record-match.ts';
import { isObject, type JsonObject, type Path } from '../text/json-values.ts';
import { type Conflict, mergeLists, type Versions } from './merge-lists.ts';

export type { Conflict } from './merge-lists.ts';

interface Merged {
  /** The attributes to send, each whole; in a conflict, with the value of `mine`. */
  readonly attributes: JsonObject;
  /** The attributes that are the same in `mine` and `base`. */
  readonly unchanged: readonly string[];
  /** The edited attributes whose edits are already stored. */
  readonly done: readonly string[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges edits into the stored record, see docs/dev/edits.md.
 * @param base the attributes when they were read; if undefined, each difference is a conflict.
 * @param mine the attributes after the edits; attributes that it lacks do not change.
 * @param theirs the attributes that are stored now.
 */
export function merge(base: JsonObject | undefined, mine: JsonObject, theirs: JsonObject): Merged {
  const attributes: Record<string, unknown> = {};
  const unchanged: string[] = [];
  const done: string[] = [];
  const conflicts: Conflict[] = [];
  for (const [name, edited] of Object.entries(mine)) {
    const versions = { base: base?.[name], mine: edited, theirs: theirs[name] };
    if (base !== undefined && same(edited, versions.base, name)) unchanged.push(name);
    else if (same(edited, versions.theirs, name))
      (base === undefined ? unchanged : done).push(name);
    else if (base === undefined) {
      conflicts.push({ path: [name], ...versions });
      attributes[name] = edited;
    } else {
      const merged = mergeValue(versions, [name], conflicts);
      const isStored = same(merged, versions.theirs, name);
      if (isStored && !conflicts.some(({ path }) => path[0] === name)) done.push(name);
      else attributes[name] = merged;
    }
  }
  return { attributes, unchanged, done, conflicts };
}

function mergeValue(versions: Versions, path: Path, conflicts: Conflict[]): unknown {
  const { base, mine, theirs } = versions;
  const member = path.findLast((step) => typeof step === 'string');
  if (same(mine, theirs, member) || same(mine, base, member)) return theirs;
  if (same(theirs, base, member)) return mine;
  if ([base, mine, theirs].every(isListOrEmpty))
    return mergeLists(versions, path, conflicts, mergeValue);
  const objects = [base, mine, theirs].map((value) => asObject(value, member));
  const [baseObject, mineObject, theirObject] = objects;
  if (hasMembers(path) && baseObject && mineObject && theirObject) {
    const members = { base: baseObject, mine: mineObject, theirs: theirObject };
    return mergeMembers(members, path, conflicts);
  }
  conflicts.push({ path, base, mine, theirs });
  return mine;
}

const isListOrEmpty = (value: unknown): boolean =>
  Array.isArray(value) || sameKey(value) === undefined;

function asObject(value: unknown, member: unknown): JsonObject | undefined {
  if (isObject(value)) return value;
  if (sameKey(value) === undefined) return {};
  return (member === 'publisher' || member === 'affiliation') && typeof value === 'string'
    ? { name: value }
    : undefined;
}

/** Whether the members of an object are merged one by one; a point, for example, is one value. */
function hasMembers(path: Path): boolean {
  return typeof path.at(-1) === 'number' || path[0] === 'publisher' || path[0] === 'types';
}

interface ObjectVersions {
  readonly base: JsonObject;
  readonly mine: JsonObject;
  readonly theirs: JsonObject;
}

/** The members of an identifier: its text, type and scheme belong together. */
const IDENTIFIER = /dentifier|cheme/;

function mergeMembers(versions: ObjectVersions, path: Path, conflicts: Conflict[]): unknown {
  const { base, mine, theirs } = versions;
  // A new name means another publisher.
  const isRenamed = [mine, theirs].some((version) => !same(version['name'], base['name']));
  if (path[0] === 'publisher' && isRenamed) {
    conflicts.push({ path, base, mine, theirs });
    return mine;
  }
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])];
  const isPart = (name: string) =>
    IDENTIFIER.test(name) && ![base, mine, theirs].some((version) => Array.isArray(version[name]));
  const identifier = mergedIdentifier(versions, names.filter(isPart), path, conflicts);
  const merged = names.map((name): [string, unknown] => {
    if (isPart(name)) return [name, identifier[name]];
    const member = { base: base[name], mine: mine[name], theirs: theirs[name] };
    return [name, mergeValue(member, [...path, name], conflicts)];
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** Merges the members of an identifier, which are one value. */
function mergedIdentifier(
  { base, mine, theirs }: ObjectVersions,
  names: readonly string[],
  path: Path,
  conflicts: Conflict[],
): JsonObject {
  const isSame = (left: JsonObject, right: JsonObject) =>
    names.every((name) => same(left[name], right[name]));
  if (isSame(mine, base) || isSame(mine, theirs)) return theirs;
  if (isSame(theirs, base)) return mine;
  const changed = names.find((name) => !same(mine[name], base[name])) ?? '';
  const values = { base: base[changed], mine: mine[changed], theirs: theirs[changed] };
  conflicts.push({ path: [...path, changed], ...values });
  return mine;
}
