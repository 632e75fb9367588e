import { sameKey } from '../api/record-match.ts';
import { grouped, isObject } from '../text/json-values.ts';

/** The members that identify an item of a list; in other lists the whole value identifies it. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  titles: ['title', 'titleType'],
  creators: ['name'],
  contributors: ['name', 'contributorType'],
  affiliation: ['name'],
  // A person has one ORCID iD.
  nameIdentifiers: ['nameIdentifierScheme'],
  subjects: ['subject', 'subjectScheme', 'valueUri', 'classificationCode'],
  dates: ['date', 'dateType'],
  relatedIdentifiers: ['relatedIdentifier', 'relatedIdentifierType', 'relationType'],
  identifiers: ['identifier', 'identifierType'],
  alternateIdentifiers: ['alternateIdentifier', 'alternateIdentifierType'],
  rightsList: ['rights', 'rightsUri', 'rightsIdentifier'],
  descriptions: ['description', 'descriptionType'],
  fundingReferences: ['funderName', 'awardNumber'],
};

/** The non-empty items of a list, with keys of their values and of their identifying members. */
export class KeyedList {
  readonly items: readonly unknown[];
  readonly keys: readonly string[];
  readonly names: readonly string[];

  constructor(list: readonly unknown[], member: string) {
    const keyOf = (item: unknown) => sameKey(item, member);
    this.items = list.filter((item) => keyOf(item) !== undefined);
    this.keys = this.items.map((item) => keyOf(item) ?? '');
    const names = NAMED_BY[member] ?? [];
    this.names = this.items.map((item, index) => {
      // An affiliation may be a name alone.
      const object = isObject(item) ? item : { name: item };
      // The service completes a license from its identifier (service.md, W22).
      const license = member === 'rightsList' ? sameKey(object['rightsIdentifier']) : undefined;
      if (license !== undefined) return license.toLowerCase();
      const parts = names.map((name) => sameKey(object[name]));
      return parts.some((part) => part !== undefined)
        ? JSON.stringify(parts)
        : (this.keys[index] ?? '');
    });
  }
}

/** Whether a list contains an item twice. */
export const hasTwins = ({ keys }: KeyedList): boolean => new Set(keys).size < keys.length;

/** Pairs the items of two versions: equal items in order, then items that share a unique name. */
export function pairsOf(from: KeyedList, to: KeyedList): Map<number, number> {
  const pairs = new Map<number, number>();
  pairBy(pairs, from.keys.entries(), to.keys.entries(), false);
  const partners = new Set(pairs.values());
  const left = [...from.names.entries()].filter(([place]) => !pairs.has(place));
  const right = [...to.names.entries()].filter(([place]) => !partners.has(place));
  pairBy(pairs, left, right, true);
  return pairs;
}

/** Pairs items with equal keys in order. @param isUnique skips keys that occur twice on a side. */
function pairBy(
  pairs: Map<number, number>,
  from: Iterable<readonly [place: number, key: string]>,
  to: Iterable<readonly [place: number, key: string]>,
  isUnique: boolean,
): void {
  const byKey = (items: typeof from) => grouped(items, ([, key]) => key);
  const right = byKey(to);
  for (const [key, items] of byKey(from)) {
    const partners = right.get(key) ?? [];
    if (isUnique && (items.length > 1 || partners.length > 1)) continue;
    for (const [at, [place]] of items.entries()) {
      const [partner] = partners[at] ?? [];
      if (partner !== undefined) pairs.set(place, partner);
    }
  }
}

/** Pairs items of mine and theirs that come from one item of base, or were added alike. */
export function partnersOf(
  { mine, theirs }: { readonly mine: KeyedList; readonly theirs: KeyedList },
  inMine: ReadonlyMap<number, number>,
  inTheirs: ReadonlyMap<number, number>,
): { readonly mine: Map<number, number>; readonly theirs: Map<number, number> } {
  const partners = new Map<number, number>();
  for (const [place, index] of inMine) {
    const partner = inTheirs.get(place);
    if (partner !== undefined) partners.set(index, partner);
  }
  const [ofMine, ofTheirs] = [new Set(inMine.values()), new Set(inTheirs.values())];
  const added = (list: KeyedList, known: ReadonlySet<number>) =>
    [...list.keys.entries()].filter(([place]) => !known.has(place));
  pairBy(partners, added(mine, ofMine), added(theirs, ofTheirs), false);
  return {
    mine: partners,
    theirs: new Map([...partners].map(([inMineIndex, other]) => [other, inMineIndex])),
  };
}
