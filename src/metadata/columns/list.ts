import { isDeepStrictEqual } from 'node:util';
import { jsonIn } from '../../text/json-values.ts';
import { type Finding, findingAt } from '../findings.ts';
import { CLEAR, fromCell, sameText } from './cell.ts';
import type { Cell } from './column.ts';
import { textOf, valueIn } from './value.ts';

/** The members that tell the items of a list apart. */
const MAIN: ReadonlySet<string | number | undefined> = new Set([
  ...['name', 'title', 'subject', 'description', 'date', 'relatedIdentifier', 'rights', 'identifier'],
  ...['alternateIdentifier', 'funderName', 'geoLocationPlace'],
]);
/** Members that do so together with those: several dates of a day, and relations to one work, are common. */
const KINDS: ReadonlySet<string | number | undefined> = new Set(['dateType', 'relationType']);

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
 * A list with the cells of a row put into it. Items whose texts are in another place have been moved there, and take
 * along what has no column, or no text in the row. Where several items have these texts, the row is refused: cells
 * of one item must never be mixed with values of another.
 * @returns the list itself when no cell says anything else.
 */
export function mergedList(
  before: unknown,
  cells: readonly Cell[],
  change: Change,
  findings: Finding[],
): unknown {
  const stored: readonly unknown[] = [before ?? []].flat();
  const slots = slotsOf(cells.filter((one) => !isOthers(one)));
  const length = Math.max(stored.length, ...[...slots.keys()].map((index) => index + 1));
  const rest = cells.find((one) => isOthers(one) && one.cell !== '');
  const kept = rest === undefined ? length : Math.min(length, Number(rest.column.path[1]));
  const listed = rest === undefined ? undefined : jsonIn(fromCell(rest.cell));
  const others = Array.isArray(listed) ? (listed as unknown[]) : [];
  // An item that is still in the column with the others has not been moved.
  const free = stored.map((item, at) => at < kept || !others.some((one) => isDeepStrictEqual(one, item)));
  const moved = movedItems(stored, slots, free);
  findings.push(...ambiguous(stored, slots, free, moved.size > 0));
  const taken = new Set(moved.values());
  const items: unknown[] = [];
  for (let index = 0; index < kept; index += 1) {
    const slot = slots.get(index);
    const own = taken.has(index) ? undefined : stored[index];
    if (slot === undefined) {
      items.push(own);
      continue;
    }
    const base = moved.get(index);
    const item = base === undefined && !anotherPerson(own, slot) ? own : stored[base ?? length];
    if (item === own) findings.push(...mixed(own, slot));
    // Without its main member an item is none.
    if (slot.main?.cell === CLEAR) continue;
    items.push(slot.cells.reduce((value, cell) => change(value, cell, 2), item));
  }
  if (rest !== undefined) {
    // The column of the other items holds the whole of their list.
    const one = { ...rest, column: { ...rest.column, rest: false } };
    const after = rest.cell === CLEAR ? [] : change(stored.slice(kept), one, 2);
    items.push(...(Array.isArray(after) ? after : [after]));
  }
  const list = items.filter((item) => item !== undefined && item !== null);
  const isSame = list.length === stored.length && list.every((item, index) => item === stored[index]);
  return isSame ? before : list;
}

/** The places of a row with text; one with empty cells only leaves its item as it is. */
function slotsOf(cells: readonly Cell[]): Map<number, Slot> {
  const groups = new Map<number, Cell[]>();
  for (const one of cells) {
    const index = Number(one.column.path[1]);
    groups.set(index, [...(groups.get(index) ?? []), one]);
  }
  const filled = [...groups].filter(([, own]) => own.some(({ cell }) => cell !== ''));
  const isMain = ({ column: { path }, cell }: Cell) =>
    cell !== '' && (path.length === 2 || (path.length === 3 && MAIN.has(path[2])));
  return new Map(filled.map(([index, own]) => [index, { cells: own, main: own.find(isMain) }]));
}

/** The text of a column in an item. */
const ownText = (item: unknown, { column: { path, rest } }: Cell): string =>
  textOf(valueIn(item, path.slice(2), rest));

/** Whether a cell says what the item says. */
const isOf = (one: Cell, item: unknown): boolean =>
  sameText(ownText(item, one), one.cell === CLEAR ? '' : fromCell(one.cell));

/** Whether the texts of a place name an item. */
function names({ main, cells }: Slot, item: unknown): boolean {
  if (main === undefined || main.cell === CLEAR || !isOf(main, item)) return false;
  const kinds = cells.filter(({ column: { path }, cell }) => KINDS.has(path[2]) && cell !== '');
  return kinds.every((one) => isOf(one, item));
}

/** The places that name an item of another place, with the index of that item. */
function movedItems(
  stored: readonly unknown[],
  slots: ReadonlyMap<number, Slot>,
  free: readonly boolean[],
): Map<number, number> {
  const isThere = (index: number) => {
    const slot = slots.get(index);
    return slot !== undefined && index < stored.length && names(slot, stored[index]);
  };
  return new Map(
    [...slots].flatMap(([index, slot]) => {
      if (isThere(index)) return [];
      const from = stored.findIndex((item, at) => free[at] && !isThere(at) && names(slot, item));
      return from < 0 ? [] : [[index, from] as const];
    }),
  );
}

/**
 * Places that name several items, or no item where others were moved: which item they are about is a guess.
 * @param isMoved whether items are in other places than before.
 */
function ambiguous(
  stored: readonly unknown[],
  slots: ReadonlyMap<number, Slot>,
  free: readonly boolean[],
  isMoved: boolean,
): readonly Finding[] {
  const all = [...slots.values()];
  return [...slots].flatMap(([index, slot]) => {
    const named = stored.filter((item, at) => free[at] && names(slot, item));
    const isTwice = named.length > 1;
    const isSame = slot.cells.every((one) => isOf(one, stored[index]));
    const isAgain = () => all.some((one) => one !== slot && named.some((item) => names(one, item)));
    const isDoubtful = isMoved ? isTwice || slot.main === undefined || isAgain() : isTwice && !isSame;
    if (!isDoubtful) return [];
    const { column, cell } = slot.main ?? (slot.cells[0] as Cell);
    const message = isTwice
      ? 'is in two items of the record, and the row does not say which one it means: leave this list as it is, or send it as JSON'
      : 'belongs to an item that is not named, or named twice, where others have moved: give each its own text';
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
