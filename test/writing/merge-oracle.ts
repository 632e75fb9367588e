import { isObject, type JsonObject, listOf } from '../../src/text/json-values.ts';

/**
 * The outcome of a merge, computed in a plain and slow way: the items of each name are compared as
 * multisets, every item with every other, without keys or hashes.
 */
export interface Expectation {
  /** The attributes with a conflict. */
  readonly conflicts: readonly string[];
  /** The attributes that may have a conflict; see `Verdict`. */
  readonly open: readonly string[];
  /** All attributes of mine as they are after the merge, where neither of the above applies. */
  readonly merged: JsonObject;
  /** The attributes with a list whose order is not fixed. */
  readonly anyOrder: readonly string[];
}

/**
 * `open` leaves the choice between a conflict and a merge. Where both sides edit several items of
 * one name, or mine reorders a list that holds an item twice, the versions do not show which item
 * became which. A merge that guesses may then guess differently when it is repeated.
 */
type Verdict = 'clear' | 'open' | 'conflict';

type List = readonly unknown[];

/** The members that name an item of a list. Items of other lists are named by their whole value. */
export const MAIN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  titles: ['title', 'titleType'],
  creators: ['name'],
  contributors: ['name', 'contributorType'],
  affiliation: ['name'],
  nameIdentifiers: ['nameIdentifierScheme'],
  subjects: ['subject', 'subjectScheme', 'valueUri', 'classificationCode'],
  dates: ['date', 'dateType'],
  relatedIdentifiers: ['relatedIdentifier', 'relatedIdentifierType', 'relationType'],
  identifiers: ['identifier', 'identifierType'],
  alternateIdentifiers: ['alternateIdentifier', 'alternateIdentifierType'],
  rightsList: ['rights', 'rightsUri'],
  descriptions: ['description', 'descriptionType'],
  fundingReferences: ['funderName', 'awardNumber'],
};

/** A value without its empty parts, and with an object where a text stands for `{name: text}`. */
export function plain(value: unknown, name = ''): unknown {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'object') {
    return typeof value === 'string' && (name === 'publisher' || name === 'affiliation')
      ? { name: value }
      : value;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item, name)).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const object: Record<string, unknown> = {};
  for (const [member, inner] of Object.entries(value)) {
    const kept = plain(inner, member);
    if (kept !== undefined) object[member] = kept;
  }
  return Object.keys(object).length === 0 ? undefined : object;
}

/** Whether two values that are plain are the same. */
export function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') {
    return a === b || (isScalar(a) && isScalar(b) && bare(a) === bare(b));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  return isObject(a) && isObject(b) && hasMembersOf(a, b, same);
}

const isScalar = (value: unknown) => value !== undefined && typeof value !== 'object';

function hasMembersOf(a: JsonObject, b: JsonObject, equal: typeof same): boolean {
  const members = Object.keys(a);
  return (
    members.length === Object.keys(b).length &&
    members.every((member) => equal(a[member], b[member]))
  );
}

/** Whether two values that are plain are the same apart from the order of lists. */
export function sameInAnyOrder(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && minus(a, b, sameInAnyOrder).length === 0;
  }
  return isObject(a) && isObject(b) ? hasMembersOf(a, b, sameInAnyOrder) : same(a, b);
}

/** The items of a list without the items of another list, each taken out once. */
export function minus(list: List, taken: List, equal = same): List {
  const left = [...list];
  for (const item of taken) {
    const at = left.findIndex((other) => equal(other, item));
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** Whether two items of the list of this name have the same name. */
export function sameName(list: string, a: unknown, b: unknown): boolean {
  const members = MAIN_MEMBERS[list];
  if (members === undefined || !isObject(a) || !isObject(b)) return same(a, b);
  const [license, other] = [a, b].map((item) =>
    list === 'rightsList' ? item['rightsIdentifier'] : undefined,
  );
  if (license || other) return String(license).toLowerCase() === String(other).toLowerCase();
  // Without its main members an item is named by its whole value.
  if (members.every((member) => !a[member])) return same(a, b);
  return members.every((member) => same(a[member], b[member]));
}

export const membersOf = (...objects: readonly JsonObject[]) => [
  ...new Set(objects.flatMap(Object.keys)),
];

function bare(scalar: unknown): string {
  const text = String(scalar).replace(/^https:\/\/(doi|orcid|ror)\.org\//, '');
  return text.startsWith('10.') ? text.toLowerCase() : text;
}

/** An attribute, or a part of it, after the merge. */
interface Outcome {
  readonly value: unknown;
  readonly verdict: Verdict;
  readonly anyOrder: boolean;
}

const clear = (value: unknown): Outcome => ({ value, verdict: 'clear', anyOrder: false });
const conflict = (value: unknown): Outcome => ({ value, verdict: 'conflict', anyOrder: false });

/** The gravest of some verdicts. */
function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('conflict')) return 'conflict';
  return verdicts.includes('open') ? 'open' : 'clear';
}

/** The outcome of a merge of records that are plain. */
export function expectationOf(
  base: JsonObject | undefined,
  mine: JsonObject,
  theirs: JsonObject,
): Expectation {
  const outcomes = Object.keys(mine).map((name): [string, Outcome] => {
    const [m, t] = [mine[name], theirs[name]];
    if (base === undefined) return [name, same(m, t) ? clear(t) : conflict(m)];
    return [name, mergeValues(name, base[name], m, t)];
  });
  const names = (test: (outcome: Outcome) => boolean) =>
    outcomes.filter(([, outcome]) => test(outcome)).map(([name]) => name);
  return {
    conflicts: names(({ verdict }) => verdict === 'conflict'),
    open: names(({ verdict }) => verdict === 'open'),
    merged: Object.fromEntries(outcomes.map(([name, { value }]) => [name, value])),
    anyOrder: names(({ anyOrder }) => anyOrder),
  };
}

function mergeValues(name: string, base: unknown, mine: unknown, theirs: unknown): Outcome {
  if (same(mine, theirs) || same(mine, base)) return clear(theirs);
  if (same(theirs, base)) return clear(mine);
  const versions = [base, mine, theirs];
  if (versions.every((value) => value === undefined || Array.isArray(value))) {
    return mergeLists(name, listOf(base), listOf(mine), listOf(theirs));
  }
  const areObjects = versions.every((value) => value === undefined || isObject(value));
  if (!areObjects || (name !== 'publisher' && name !== 'types')) return conflict(mine);
  const [b, m, t] = versions.map((value) => value ?? {}) as [JsonObject, JsonObject, JsonObject];
  const isRenamed = [m, t].some((version) => !same(version['name'], b['name']));
  if (name === 'types' || !isRenamed) return mergeMembers(b, m, t);
  // Both have the same new name, and differ in another member. The change of the name may count as
  // done.
  return same(m['name'], t['name']) ? { ...conflict(mine), verdict: 'open' } : conflict(mine);
}

function mergeMembers(base: JsonObject, mine: JsonObject, theirs: JsonObject): Outcome {
  const versions = [base, mine, theirs] as const;
  const isTogether = (member: string) =>
    /dentifier|cheme/.test(member) && !versions.some((version) => Array.isArray(version[member]));
  const [together, single] = [true, false].map((wanted) =>
    membersOf(...versions).filter((member) => isTogether(member) === wanted),
  ) as [string[], string[]];
  const parts = versions.map((version) => together.map((member) => version[member]));
  const whole = mergeWhole(parts);
  const outcomes = single.map((name) => mergeValues(name, base[name], mine[name], theirs[name]));
  const value = plain(
    Object.fromEntries([
      ...together.map((member, index) => [member, (whole.value as List)[index]]),
      ...single.map((member, index) => [member, outcomes[index]?.value]),
    ]),
  );
  return {
    value,
    verdict: worst([whole, ...outcomes].map(({ verdict }) => verdict)),
    anyOrder: outcomes.some(({ anyOrder }) => anyOrder),
  };
}

/** The values of members that belong together, which are merged as one value. */
function mergeWhole([base = [], mine = [], theirs = []]: readonly List[]): Outcome {
  const equal = (a: List, b: List) => a.every((value, index) => same(value, b[index]));
  if (equal(mine, theirs) || equal(mine, base)) return clear(theirs);
  return equal(theirs, base) ? clear(mine) : conflict(mine);
}

/** What becomes of the items of one name. */
interface Fate {
  /** The side whose items stay; `merged` where both changed the same item and no other. */
  readonly side: 'mine' | 'theirs' | 'merged';
  readonly verdict: Verdict;
  /**
   * Whether an item of base is gone on both sides, and whether a side has an item that only it
   * added.
   */
  readonly gone?: boolean;
  readonly mineAdds?: boolean;
  readonly theirsAdds?: boolean;
}

function fateOf(base: List, mine: List, theirs: List): Fate {
  const my = { gone: minus(base, mine), added: minus(mine, base) };
  const their = { gone: minus(base, theirs), added: minus(theirs, base) };
  const [isMyChange, isTheirChange] = [my, their].map(
    ({ gone, added }) => gone.length === 1 && added.length === 1,
  );
  const nothing = ({ gone, added }: typeof my) => gone.length + added.length === 0;
  if (minus(mine, theirs).length + minus(theirs, mine).length === 0) {
    return { side: 'theirs', verdict: 'clear', gone: my.gone.length > 0 && !isMyChange };
  }
  if (nothing(my)) {
    return {
      side: 'theirs',
      verdict: 'clear',
      theirsAdds: their.added.length > 0 && !isTheirChange,
    };
  }
  if (nothing(their)) {
    return { side: 'mine', verdict: 'clear', mineAdds: my.added.length > 0 && !isMyChange };
  }
  const meet = minus(my.gone, their.gone).length < my.gone.length;
  if (isMyChange && isTheirChange && meet) return { side: 'merged', verdict: 'clear' };
  const isRemovedAndChanged = meet && isMyChange !== isTheirChange;
  const areRivals =
    !isMyChange &&
    minus(my.added, their.added).length > 0 &&
    minus(their.added, my.added).length > 0;
  // Theirs already has the new items of mine, next to other edits of that name.
  const isDone =
    my.added.length > 0 &&
    minus(my.added, their.added).length + minus(my.gone, their.gone).length === 0;
  return {
    side: 'mine',
    verdict: (isRemovedAndChanged || areRivals) && !isDone ? 'conflict' : 'open',
  };
}

interface Versions {
  readonly name: string;
  readonly base: List;
  readonly mine: List;
  readonly theirs: List;
  /** The indexes of the items of base in the other versions. */
  readonly toMine: Indexes;
  readonly toTheirs: Indexes;
}

type Indexes = readonly (number | undefined)[];

/** The index that each item of base has in another version of the list. */
function indexesIn(name: string, base: List, version: List): Indexes {
  const indexes: (number | undefined)[] = [];
  for (const item of base) {
    const index = version.findIndex((other, at) => !indexes.includes(at) && same(other, item));
    indexes.push(index < 0 ? undefined : index);
  }
  const [rest, free] = [base.keys(), version.keys()].map((all) => [...all]) as [number[], number[]];
  const left = rest.filter((at) => indexes[at] === undefined);
  const untaken = free.filter((at) => !indexes.includes(at));
  for (const from of left) {
    const like = (item: unknown) => sameName(name, item, base[from]);
    const [to, ...others] = untaken.filter((at) => like(version[at]));
    if (others.length === 0 && left.filter((at) => like(base[at])).length === 1) indexes[from] = to;
  }
  return indexes;
}

/** An item of the merged list, with its index in mine if it is there. */
interface MergedItem {
  readonly outcome: Outcome;
  readonly inMine: number | undefined;
}

function mergeLists(name: string, base: List, mine: List, theirs: List): Outcome {
  const [toMine, toTheirs] = [indexesIn(name, base, mine), indexesIn(name, base, theirs)];
  const versions: Versions = { name, base, mine, theirs, toMine, toTheirs };
  const fates: { readonly item: unknown; readonly fate: Fate }[] = [];
  for (const item of [...base, ...mine, ...theirs]) {
    const ofName = (list: List) => list.filter((other) => sameName(name, other, item));
    const isNew = !fates.some((known) => sameName(name, known.item, item));
    if (isNew) fates.push({ item, fate: fateOf(ofName(base), ofName(mine), ofName(theirs)) });
  }
  const isReplaced = (['gone', 'mineAdds', 'theirsAdds'] as const).every((fact) =>
    fates.some(({ fate }) => fate[fact]),
  );
  const order = orderOf(versions);
  const items = mergedItems(
    versions,
    (item) => fates.find((known) => sameName(name, known.item, item))?.fate,
  );
  const verdicts = [
    ...fates.map(({ fate }) => fate),
    order,
    ...items.map(({ outcome }) => outcome),
  ];
  if (order.isOfMine) items.sort((a, b) => (a.inMine ?? 0) - (b.inMine ?? 0));
  return {
    value: items.length === 0 ? undefined : items.map(({ outcome }) => outcome.value),
    verdict: isReplaced ? 'conflict' : worst(verdicts.map(({ verdict }) => verdict)),
    anyOrder: order.isAny || items.some(({ outcome }) => outcome.anyOrder),
  };
}

/** The merged items, in the order of theirs. */
function mergedItems(
  versions: Versions,
  fateOfItem: (item: unknown) => Fate | undefined,
): MergedItem[] {
  const { base, mine, theirs, toMine, toTheirs } = versions;
  const added = [...mine.keys()].filter((index) => !toMine.includes(index));
  const items: MergedItem[] = theirs.flatMap((item, index) => {
    const from = toTheirs.indexOf(index);
    const side = fateOfItem(item)?.side;
    let inMine = toMine[from];
    if (inMine === undefined && side === 'theirs') {
      const at = added.findIndex((other) => same(mine[other], item));
      if (at >= 0) [inMine] = added.splice(at, 1);
    }
    if (side === 'theirs') return { outcome: clear(item), inMine };
    if (from < 0 || inMine === undefined) return [];
    if (side === 'mine') return { outcome: clear(mine[inMine]), inMine };
    const [b, m, t] = [base[from], mine[inMine], item] as [JsonObject, JsonObject, JsonObject];
    return { outcome: mergeMembers(b, m, t), inMine };
  });
  for (const index of added) {
    const earlier = items.map(({ inMine }) =>
      inMine !== undefined && inMine < index ? inMine : -1,
    );
    const previous = Math.max(-1, ...earlier);
    const at = previous < 0 ? 0 : earlier.indexOf(previous) + 1;
    items.splice(at, 0, { outcome: clear(mine[index]), inMine: index });
  }
  return items;
}

/**
 * Whether mine and theirs can both have their order, and whether the order of the merged list is
 * that of mine.
 */
function orderOf({ base, mine, theirs, toMine, toTheirs }: Versions) {
  const all = [...base.keys()];
  const common = all.filter((from) => toMine[from] !== undefined && toTheirs[from] !== undefined);
  const orderIn = (indexes: Indexes, items: readonly number[]) =>
    items
      .filter((from) => indexes[from] !== undefined)
      .sort((a, b) => (indexes[a] ?? 0) - (indexes[b] ?? 0))
      .join();
  const reorders = (indexes: Indexes, items: readonly number[]) =>
    orderIn(indexes, items) !== items.filter((from) => indexes[from] !== undefined).join();
  const differ = orderIn(toMine, common) !== orderIn(toTheirs, common);
  const [mineReorders, theirsReorders] = [reorders(toMine, all), reorders(toTheirs, all)];
  const hasTwins = [base, mine, theirs].some((list) =>
    list.some((item, index) => list.slice(0, index).some((earlier) => same(earlier, item))),
  );
  const isConflict = differ && reorders(toMine, common) && reorders(toTheirs, common) && !hasTwins;
  // An item that one side moved may be gone on the other. It is open whether both reorder then.
  const isOpen = differ && mineReorders && (hasTwins || theirsReorders);
  const verdict: Verdict = isOpen ? 'open' : 'clear';
  return {
    verdict: isConflict ? ('conflict' as const) : verdict,
    isOfMine: mineReorders && !theirsReorders,
    isAny: mineReorders && (theirsReorders || theirs.some((_, index) => !toTheirs.includes(index))),
  };
}
