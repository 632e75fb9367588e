import { isDeepStrictEqual } from 'node:util';
import { jsonIn } from '../../text/json-values.ts';
import { type Finding, findingAt } from '../findings.ts';
import { CLEAR, fromCell, sameText } from './cell.ts';
import type { Cell, Column } from './column.ts';
import { textOf, valueIn } from './value.ts';

/** The member that tells the items of a list apart. */
const MAIN: ReadonlySet<string | number | undefined> = new Set([
  ...['name', 'title', 'subject', 'description', 'date', 'relatedIdentifier', 'rights', 'identifier'],
  ...['alternateIdentifier', 'funderName', 'geoLocationPlace'],
]);

const isMain = ({ column: { path } }: Cell) => path.length === 2 || (path.length === 3 && MAIN.has(path[2]));

/**
 * A value with one cell put into it; the same value when the cell says nothing else.
 * @param from how many steps of the path lead to the value.
 */
export type Change = (value: unknown, cell: Cell, from?: number) => unknown;

/** Whether a cell holds the further items of the list, not those of a list in an item. */
const isOthers = ({ column: { path, rest } }: Cell) => rest && path.length === 2;

/** The columns of one item, and what they say about it. */
interface Slot {
  readonly cells: readonly Cell[];
  /** The cell with the main member; undefined without such a column or text. */
  readonly main: Cell | undefined;
}

/**
 * A list with the cells of a row put into it. An item that was moved to another place takes along what has no
 * column, or no text in the row: cells of one item must never be mixed with values of another.
 * @returns the list itself when no cell says anything else.
 */
export function mergedList(
  before: unknown,
  cells: readonly Cell[],
  change: Change,
  findings: Finding[],
): unknown {
  const stored: readonly unknown[] = Array.isArray(before)
    ? before
    : before === undefined || before === null
      ? []
      : [before];
  const slots = slotsOf(cells.filter((one) => !isOthers(one)));
  const length = Math.max(stored.length, ...[...slots.keys()].map((index) => index + 1));
  const rest = cells.find((one) => isOthers(one) && one.cell !== '');
  const kept = rest === undefined ? length : Math.min(length, Number(rest.column.path[1]));
  const listed = rest === undefined ? undefined : jsonIn(fromCell(rest.cell));
  const others = Array.isArray(listed) ? (listed as unknown[]) : [];
  // An item that is still in the column with the others has not been moved.
  const free = stored.map((item, at) => at < kept || !others.some((one) => isDeepStrictEqual(one, item)));
  const bases = basesOf(stored, slots, free);
  findings.push(...ambiguous(stored, slots, bases, free));
  const moved = new Set([...bases].filter(([index, base]) => index !== base).map(([, base]) => base));
  const items: unknown[] = [];
  for (let index = 0; index < kept; index += 1) {
    const slot = slots.get(index);
    if (slot === undefined) {
      if (!moved.has(index)) items.push(stored[index]);
      continue;
    }
    const isAnother = moved.has(index) || anotherPerson(stored[index], slot);
    const base = bases.get(index) ?? (isAnother ? undefined : index);
    if (base === index) findings.push(...mixed(stored[index], slot));
    const item = base === undefined ? undefined : stored[base];
    // Without its main member an item is none.
    if (slot.main?.cell === CLEAR) continue;
    items.push(slot.cells.reduce((value, cell) => change(value, cell, 2), item));
  }
  if (rest !== undefined) {
    const after =
      rest.cell === CLEAR ? [] : change(stored.slice(kept), { ...rest, column: whole(rest.column) }, 2);
    items.push(...(Array.isArray(after) ? after : [after]));
  }
  const list = items.filter((item) => item !== undefined && item !== null);
  const isSame = list.length === stored.length && list.every((item, index) => item === stored[index]);
  return isSame ? before : list;
}

/** The column of the other items, for a value that is their list. */
const whole = (column: Column): Column => ({ ...column, rest: false });

function slotsOf(cells: readonly Cell[]): Map<number, Slot> {
  const groups = new Map<number, Cell[]>();
  for (const cell of cells) {
    const index = Number(cell.column.path[1]);
    groups.set(index, [...(groups.get(index) ?? []), cell]);
  }
  // A place with empty cells only leaves its item as it is.
  const filled = [...groups].filter(([, own]) => own.some(({ cell }) => cell !== ''));
  return new Map(
    filled
      .sort(([a], [b]) => a - b)
      .map(([index, own]) => [
        index,
        { cells: own, main: own.find((one) => isMain(one) && one.cell !== '') },
      ]),
  );
}

/** The text of a column in an item. */
const ownText = (item: unknown, { column: { path, rest } }: Cell): string =>
  textOf(valueIn(item, path.slice(2), rest));

/** Whether a cell says what the item says. */
const isOf = (one: Cell, item: unknown): boolean =>
  sameText(ownText(item, one), one.cell === CLEAR ? '' : fromCell(one.cell));

/** Whether a place says which item it is about; otherwise it is about its own. */
const isNamed = ({ main }: Slot): boolean => main !== undefined && main.cell !== CLEAR;

/** Whether an item may be meant: each text of the place is its own; with `whole`, each empty cell, too. */
const fits = ({ cells }: Slot, item: unknown, whole = false): boolean =>
  cells.every((one) => (one.cell === '' && !whole) || isOf(one, item));

/**
 * The stored items that the places of a row are about: their own, or one that was moved there. Items may have the
 * same main member, such as two dates of one day: the other cells tell them apart.
 * @param free which items may have been moved.
 */
function basesOf(
  stored: readonly unknown[],
  slots: ReadonlyMap<number, Slot>,
  free: readonly boolean[],
): Map<number, number> {
  const bases = new Map<number, number>();
  const used = new Set<number>();
  const own = (test: (slot: Slot, item: unknown) => boolean) => {
    for (const [index, slot] of slots) {
      if (bases.has(index) || used.has(index) || index >= stored.length) continue;
      if (!isNamed(slot) || test(slot, stored[index])) take(index, index);
    }
  };
  // Places whose cells are all empty give their items away, too.
  const elsewhere = (test: (slot: Slot, item: unknown) => boolean) => {
    for (const [index, slot] of slots) {
      if (bases.has(index) || !isNamed(slot)) continue;
      const found = stored.findIndex((item, at) => free[at] && !used.has(at) && test(slot, item));
      if (found >= 0) take(index, found);
    }
  };
  const take = (index: number, base: number) => {
    bases.set(index, base);
    used.add(base);
  };
  own((slot, item) => fits(slot, item));
  elsewhere((slot, item) => fits(slot, item, true));
  elsewhere((slot, item) => fits(slot, item));
  const hasMain = ({ main }: Slot, item: unknown) => main !== undefined && isOf(main, item);
  own(hasMain);
  elsewhere(hasMain);
  return bases;
}

/** Places that may be about either of two items, of which the row names one only. */
function ambiguous(
  stored: readonly unknown[],
  slots: ReadonlyMap<number, Slot>,
  bases: ReadonlyMap<number, number>,
  free: readonly boolean[],
): readonly Finding[] {
  const used = new Set(bases.values());
  // Items that no place describes completely may have been meant by another place.
  const sure = new Set(
    [...bases].flatMap(([index, base]) => {
      const slot = slots.get(index);
      return slot !== undefined && fits(slot, stored[base], true) ? [base] : [];
    }),
  );
  const others = stored.flatMap((item, at) =>
    sure.has(at) || !free[at] ? [] : [{ item, isGone: !used.has(at) && bases.has(at) }],
  );
  return [...bases].flatMap(([index, base]) => {
    const slot = slots.get(index);
    if (slot?.main === undefined || !isNamed(slot)) return [];
    const own = stored[base];
    const isDoubtful = others.some(
      ({ item, isGone }) =>
        (isGone && fits(slot, item) && !isDeepStrictEqual(item, own)) ||
        (fits(slot, item, true) && !fits(slot, own, true)),
    );
    if (!isDoubtful) return [];
    const { column, cell } = slot.main;
    const message =
      'is in two items of the record, and the row does not say which one it means: write each value of it, and null where it has none';
    return [{ ...findingAt('error', column.path, { message, value: cell }), path: column.name }];
  });
}

/** What makes it doubtful whether a place is still about the same item: another name, and an emptied cell. */
function mixed(item: unknown, { cells, main }: Slot): readonly Finding[] {
  if (item === undefined || main === undefined || isOf(main, item)) return [];
  return cells
    .filter((one) => one.cell === '' && ownText(item, one) !== '')
    .slice(0, 1)
    .map((one) => {
      const { column } = one;
      const value = ownText(item, one);
      const message = `is empty, ${main.column.name} is another one, and the record has ${JSON.stringify(value)}: write it or null`;
      return { ...findingAt('error', column.path, { message }), path: column.name };
    });
}

/** Whether name and ORCID are those of another person, who has none of the other values of the item. */
function anotherPerson(item: unknown, { cells, main }: Slot): boolean {
  const orcid = cells.find(({ column, cell }) => column.path.at(-1) === 'orcid' && cell !== '');
  if (orcid === undefined || main === undefined || ownText(item, orcid) === '') return false;
  return !isOf(main, item) && !isOf(orcid, item);
}
