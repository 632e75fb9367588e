import { type Finding, findingAt } from '../findings.ts';
import { CLEAR, says } from './cell.ts';
import { type Cell, isKind, isMain } from './column.ts';
import { textOf, valueIn } from './value.ts';

/** A value with one cell put into it. @param from how many steps of the path lead to the value. */
export type Change = (value: unknown, cell: Cell, from?: number) => unknown;

/** Whether a cell holds the further items of the list, not those of a list in an item. */
const isOthers = ({ column: { path, rest } }: Cell) => rest && path.length === 2;

interface Slot {
  readonly cells: readonly Cell[];
  /** The cell with the main member; undefined without such a column or text. */
  readonly main: Cell | undefined;
}

/**
 * A list with the cells of a row put into it; itself when none says anything else. An item that seems to be
 * in another place is refused: cells of one must never be mixed with values of another.
 */
export function mergedList(
  before: unknown,
  cells: readonly Cell[],
  change: Change,
  findings: Finding[],
): unknown {
  const stored: readonly unknown[] = [before ?? []].flat();
  const slots = slotsOf(cells.filter((one) => !isOthers(one)));
  const rest = cells.find((one) => isOthers(one) && one.cell !== '');
  const first = rest === undefined ? Number.POSITIVE_INFINITY : Number(rest.column.path[1]);
  const length = Math.max(stored.length, ...[...slots.keys()].map((index) => index + 1));
  for (const [index, slot] of slots) findings.push(...doubts(stored, index, slot));
  const items = Array.from({ length: Math.min(length, first) }, (_, index): unknown => {
    const { cells: own = [], main } = slots.get(index) ?? {};
    // Without its main member an item is none.
    return main?.cell === CLEAR ? null : own.reduce((value, one) => change(value, one, 2), stored[index]);
  });
  if (rest !== undefined) {
    // The column of the other items holds the whole of their list.
    const one = { ...rest, column: { ...rest.column, rest: false } };
    items.push(...[rest.cell === CLEAR ? [] : change(stored.slice(first), one, 2)].flat());
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
  const isOfMain = ({ column: { path }, cell }: Cell) =>
    cell !== '' && (path.length === 2 || (path.length === 3 && isMain(path[2])));
  return new Map(filled.map(([index, own]) => [index, { cells: own, main: own.find(isOfMain) }]));
}

const ownText = (item: unknown, { column: { path, rest } }: Cell): string =>
  textOf(valueIn(item, path.slice(2), rest));

const isOf = (one: Cell, item: unknown): boolean =>
  says(one.cell === CLEAR ? '' : one.cell, ownText(item, one));

function names({ main, cells }: Slot, item: unknown): boolean {
  if (main === undefined || !isOf(main, item)) return false;
  const kinds = cells.filter(({ column: { path }, cell }) => isKind(path[2]) && cell !== '');
  return kinds.every((one) => isOf(one, item));
}

/** Doubts whether a place is about the item there: it names another one, or has a new name and old identifiers. */
function doubts(stored: readonly unknown[], index: number, slot: Slot): readonly Finding[] {
  const { main, cells } = slot;
  const item = stored[index];
  if (main === undefined || main.cell === CLEAR || cells.every((one) => isOf(one, item))) return [];
  const isElsewhere = stored.some((other, at) => at !== index && names(slot, other));
  const isOther = (one: Cell) =>
    ownText(item, one) !== '' &&
    (one.cell === '' || (one.column.path.at(-1) === 'orcid' && !isOf(one, item)));
  const isReplaced = !isOf(main, item) && cells.some(isOther);
  if (!isElsewhere && !isReplaced) return [];
  const message = isElsewhere
    ? 'names another item of the record: a row changes items in their places; send the list as JSON'
    : 'is new, but not all of the rest is: write null into it, or send the list as JSON';
  return [{ ...findingAt('error', main.column.path, { message, value: main.cell }), path: main.column.name }];
}
