import { listOf, type Path } from '../text/json-values.ts';
import { hasTwins, KeyedList, pairsOf, partnersOf } from './keyed-list.ts';

/** An edit that cannot be merged into the stored record. */
export interface Conflict {
  /** The path below the attributes; an index counts in `mine`, or in `base` for a removed item. */
  readonly path: Path;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** Three versions of a value: when it was read, after the edits, and stored now. */
export interface Versions {
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** Merges the versions of a value, and adds edits that cannot be merged to `conflicts`. */
type MergeValue = (versions: Versions, path: Path, conflicts: Conflict[]) => unknown;

type Side = 'mine' | 'theirs';

/** An item of the merged list, with its places in the two edited versions. */
type Entry = { readonly value: unknown } & { readonly [Place in Side]: number | undefined };

/**
 * Merges the versions of a list by item. Items of the same name form a group. A group that only one
 * side has changed is taken from that side. Where both sides have edited the same single item of a
 * group, its members are merged; any other group that both have changed is a conflict.
 */
export function mergeLists(
  versions: Versions,
  path: Path,
  conflicts: Conflict[],
  mergeValue: MergeValue,
): unknown {
  const member = String(path.findLast((step) => typeof step === 'string'));
  const keyed = (list: unknown) => new KeyedList(listOf(list), member);
  const lists = {
    base: keyed(versions.base),
    mine: keyed(versions.mine),
    theirs: keyed(versions.theirs),
  };
  const merge = new ListMerge(lists, path, mergeValue);
  const merged = merge.run();
  if (merged === undefined) {
    conflicts.push({ path, ...versions });
    return versions.mine;
  }
  for (const conflict of merge.conflicts) conflicts.push(conflict);
  return merged;
}

interface Lists {
  readonly base: KeyedList;
  readonly mine: KeyedList;
  readonly theirs: KeyedList;
}

/** The places of the items with the same name in each version. */
interface Group {
  readonly base: number[];
  readonly mine: number[];
  readonly theirs: number[];
}

const SIDES = ['base', 'mine', 'theirs'] as const;

class ListMerge {
  readonly conflicts: Conflict[] = [];
  readonly #lists: Lists;
  readonly #path: Path;
  readonly #mergeValue: MergeValue;
  readonly #entries: Entry[] = [];
  /** The place in `theirs` of the item at a place in `mine`, and vice versa. */
  readonly #partners: { readonly mine: Map<number, number>; readonly theirs: Map<number, number> };
  readonly #inMine: Map<number, number>;
  readonly #inTheirs: Map<number, number>;

  constructor(lists: Lists, path: Path, mergeValue: MergeValue) {
    this.#lists = lists;
    this.#path = path;
    this.#mergeValue = mergeValue;
    this.#inMine = pairsOf(lists.base, lists.mine);
    this.#inTheirs = pairsOf(lists.base, lists.theirs);
    this.#partners = partnersOf(lists, this.#inMine, this.#inTheirs);
  }

  /** @returns the merged list; undefined if the whole list is a conflict. */
  run(): unknown[] | undefined {
    const kept = [...this.#inMine].flatMap(([place, mine]) => {
      const theirs = this.#inTheirs.get(place);
      return theirs === undefined ? [] : [{ value: place, mine, theirs }];
    });
    const frame = frameOf(
      kept,
      SIDES.some((side) => hasTwins(this.#lists[side])),
    );
    let [isGone, isAddedByMe, isAddedByThem] = [false, false, false];
    for (const group of groupsOf(this.#lists)) {
      const [byMe, byThem] = [this.#differences(group, 'mine'), this.#differences(group, 'theirs')];
      const isSame = sameItems(this.#keys(group, 'mine'), this.#keys(group, 'theirs'));
      if (isSame) isGone ||= byMe.gone.length > 0 && !isEdit(byMe);
      else {
        isAddedByMe ||= byMe.added.length > 0 && !isEdit(byMe);
        isAddedByThem ||= byThem.added.length > 0 && !isEdit(byThem);
      }
      this.#mergeGroup(group, isSame, byMe, byThem);
    }
    // Both sides removed an item and added different ones: they may be two replacements of it.
    if (frame === undefined || (isGone && isAddedByMe && isAddedByThem)) return undefined;
    return woven(this.#entries, frame, frame === 'mine' ? 'theirs' : 'mine');
  }

  #mergeGroup(group: Group, isSame: boolean, byMe: Differences, byThem: Differences): void {
    if (isSame || byMe.isNone) {
      this.#keep(group.theirs, 'theirs');
      return;
    }
    if (byThem.isNone) {
      this.#keep(group.mine, 'mine');
      return;
    }
    const { base, mine, theirs } = this.#lists;
    const [place = -1] = byMe.gone;
    const [inMine] = byMe.added;
    const [inTheirs] = byThem.added;
    const versions = {
      base: base.items[place],
      mine: mine.items[inMine ?? -1],
      theirs: theirs.items[inTheirs ?? -1],
    };
    const path = [...this.#path, inMine ?? Math.max(place, 0)];
    const isSameItem = base.keys[place] === base.keys[byThem.gone[0] ?? -1];
    if (isEdit(byMe) && isEdit(byThem) && isSameItem) {
      const value = this.#mergeValue(versions, path, this.conflicts);
      const others = group.theirs.filter((index) => index !== inTheirs);
      this.#keep(others, 'theirs');
      this.#entries.push({ value, mine: inMine, theirs: inTheirs });
    } else {
      this.conflicts.push({ path, ...versions });
      this.#keep(group.mine, 'mine');
    }
  }

  /** Keeps the items of a group from one side. */
  #keep(places: readonly number[], side: Side): void {
    for (const place of places) {
      const other = this.#partners[side].get(place);
      const value = this.#lists[side].items[place];
      const [mine, theirs] = side === 'mine' ? [place, other] : [other, place];
      this.#entries.push({ value, mine, theirs });
    }
  }

  #keys(group: Group, side: keyof Lists): string[] {
    return group[side].map((place) => this.#lists[side].keys[place] ?? '');
  }

  /** The changes of one side in a group: removed places in `base`, and added places in the side. */
  #differences(group: Group, side: Side): Differences {
    const gone = without(group.base, this.#lists.base.keys, this.#keys(group, side));
    const added = without(group[side], this.#lists[side].keys, this.#keys(group, 'base'));
    return { gone, added, isNone: gone.length + added.length === 0 };
  }
}

interface Differences {
  readonly gone: readonly number[];
  readonly added: readonly number[];
  readonly isNone: boolean;
}

/** Whether a single item was edited: removed and added once. */
const isEdit = ({ gone, added }: Differences): boolean => gone.length === 1 && added.length === 1;

/** The places whose keys remain after each key is matched with an equal one among the others. */
function without(
  places: readonly number[],
  keys: readonly string[],
  others: readonly string[],
): number[] {
  const counts = new Map<string, number>();
  for (const key of others) counts.set(key, (counts.get(key) ?? 0) + 1);
  return places.filter((place) => {
    const key = keys[place] ?? '';
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left <= 0;
  });
}

function sameItems(left: readonly string[], right: readonly string[]): boolean {
  return JSON.stringify([...left].sort()) === JSON.stringify([...right].sort());
}

function groupsOf(lists: Lists): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const side of SIDES) {
    for (const [place, name] of lists[side].names.entries()) {
      const group = groups.get(name) ?? { base: [], mine: [], theirs: [] };
      group[side].push(place);
      groups.set(name, group);
    }
  }
  return groups.values();
}

/**
 * The side whose order the merged list follows; undefined if both sides have changed the order
 * differently.
 * @param kept the items of `base` that both sides keep, in the order of `base`.
 */
function frameOf(kept: readonly Entry[], hasTwins: boolean): Side | undefined {
  const isRising = (side: Side, entries: readonly Entry[]) =>
    entries.every((entry, at) => at === 0 || placeIn(entry, side) > placeIn(entries[at - 1], side));
  const inOrder = kept.toSorted((left, right) => Number(left.value) - Number(right.value));
  if (isRising('mine', inOrder)) return 'theirs';
  const inMyOrder = kept.toSorted((left, right) => placeIn(left, 'mine') - placeIn(right, 'mine'));
  if (isRising('theirs', inMyOrder)) return 'theirs';
  // Among equal items, it is unknown which has moved.
  return isRising('theirs', inOrder) && !hasTwins ? 'mine' : undefined;
}

const placeIn = (entry: Entry | undefined, side: Side): number => entry?.[side] ?? -1;

/** The values in the order of one side; items of only the other side follow their predecessor. */
function woven(entries: readonly Entry[], frame: Side, other: Side): unknown[] {
  const sorted = (side: Side) =>
    entries
      .filter((entry) => entry[side] !== undefined)
      .sort((left, right) => placeIn(left, side) - placeIn(right, side));
  const after = new Map<Entry | undefined, unknown[]>();
  let anchor: Entry | undefined;
  for (const entry of sorted(other)) {
    const list = after.get(anchor);
    if (entry[frame] !== undefined) anchor = entry;
    else if (list === undefined) after.set(anchor, [entry.value]);
    else list.push(entry.value);
  }
  return [undefined, ...sorted(frame)].flatMap((entry) => [
    ...(entry === undefined ? [] : [entry.value]),
    ...(after.get(entry) ?? []),
  ]);
}
