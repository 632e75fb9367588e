import { READ_ONLY } from '../../api/record-match.ts';
import { type Finding, findingAt } from '../../metadata/findings.ts';
import type { JsonObject } from '../../text/json-values.ts';
import type { RowChanges } from '../input/record.ts';
import { type CellKind, CLEAR, damageOf, isWordForNothing, newText } from './cell.ts';
import { type Cell, type Column, isKind, isMainCell, NOT_EDITED } from './column.ts';
import { compareCell, EXCEL_ESCAPE, textAt, warningsAbout } from './compare.ts';
import { typedValue, valueIn, withValue } from './value.ts';

interface RowOptions {
  /** An event that changes the state. */
  readonly event?: string | undefined;
  /** Whether an export wrote the cells, which a program may have respelled since. */
  readonly isExport?: boolean;
}

/** Applies the cells of a row to a record. @param stored its attributes; undefined if it is new. */
export function rowChanges(
  cells: readonly Cell[],
  stored: JsonObject | undefined,
  { event, isExport = false }: RowOptions = {},
): RowChanges {
  const findings: Finding[] = [];
  const attributes: Record<string, unknown> = {};
  const change: Change = (value, cell, from = 1) =>
    changed(value, cell, { from, isExport, findings });
  for (const [root, cellsOfRoot] of byRoot(cells, stored === undefined)) {
    const before = stored?.[root];
    if (isExport) findings.push(...warningsAbout(cellsOfRoot, before));
    const isList = cellsOfRoot.some(({ column: { path } }) => typeof path[1] === 'number');
    const after = isList
      ? mergedList(before, cellsOfRoot, change, findings)
      : cellsOfRoot.reduce((value, cell) => change(value, cell), before);
    if (after !== before) attributes[root] = after;
  }
  if (stored !== undefined && 'state' in attributes) {
    const { state } = attributes;
    delete attributes['state'];
    if (event === undefined && !('event' in attributes))
      findings.push(stateFinding(stored['state'], state));
  }
  return { attributes, findings };
}

/** The cells of each attribute, without read-only ones. */
function byRoot(cells: readonly Cell[], isNew: boolean): ReadonlyMap<string, readonly Cell[]> {
  const rootOf = ({ column }: Cell) => String(column.path[0]);
  const used = cells.filter((cell) => {
    const root = rootOf(cell);
    if (root === 'doi' || NOT_EDITED.includes(root)) return false;
    return isNew || !READ_ONLY.has(root) || root === 'state';
  });
  return grouped(used, rootOf);
}

interface ChangeContext {
  /** The number of steps of the path that lead to the value. */
  readonly from: number;
  readonly isExport: boolean;
  readonly findings: Finding[];
}

function changed(
  value: unknown,
  { column, cell }: Cell,
  { from, isExport, findings }: ChangeContext,
): unknown {
  const path = column.path.slice(from);
  const root = String(column.path[0]);
  const before = valueIn(value, path, column.rest);
  const note = (severity: Finding['severity'], message: string, shown?: string) => {
    findings.push({
      ...findingAt(severity, column.path, { message, value: shown }),
      path: column.name,
    });
  };
  const { isSame, doubt } = compareCell(column, cell, before, isExport);
  if (doubt !== undefined) note('warning', doubt);
  if (isSame) return value;
  const put = (after: unknown) =>
    column.rest ? withOthers(value, path, after) : withValue(value, path, after, root);
  if (cell === CLEAR) return column.rest ? put([]) : cleared(value, path, before, root);
  const text = newText(cell);
  // The text is kept: with --no-validate it is sent unchanged.
  const refuse = (message: string) => {
    note('error', message, cell);
    return put(text);
  };
  const damage = damageOf(cell, kindOf(column));
  if (damage !== undefined) return refuse(damage);
  if (isWordForNothing(text)) note('warning', WORD_FOR_NOTHING, cell);
  // A line break at the end is only a blank.
  const [spelled] = text.match(EXCEL_ESCAPE) ?? [];
  if (spelled !== undefined) note('warning', `contains ${spelled}, ${OF_EXCEL}`, cell);
  try {
    return put(typedValue(text, column));
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const OF_EXCEL = 'as converters of Excel files spell a line break or another character: remove it';
const WORD_FOR_NOTHING = 'usually stands for an empty value, but is sent as text: empty the cell';

function kindOf({ path }: Column): CellKind {
  if (path[0] === 'publicationYear') return 'year';
  return path[0] === 'dates' && path.at(-1) === 'date' ? 'date' : 'other';
}

function cleared(value: unknown, path: Column['path'], before: unknown, root: string): unknown {
  if (before === undefined || before === null) return value;
  // An affiliation needs its name.
  const isName = path.at(-1) === 'name' && typeof path.at(-2) === 'number';
  return withValue(value, isName ? path.slice(0, -1) : path, null, root);
}

/** A value whose list has other items from an index on. */
function withOthers(value: unknown, path: Column['path'], others: unknown): unknown {
  const list = path.slice(0, -1);
  const before = valueIn(value, list);
  const first = (Array.isArray(before) ? before : [before]).slice(0, Number(path.at(-1)));
  return withValue(value, list, [
    ...first.filter((item) => item !== undefined),
    ...[others].flat(),
  ]);
}

function stateFinding(before: unknown, value: unknown): Finding {
  const problem = `is not the state of the record, ${String(before)}, which only an event changes`;
  const message = `${problem}: empty the cell, or use --event`;
  return findingAt('error', ['state'], { message, value });
}

/** Applies a cell to a value. @param from the number of steps that lead to the value. */
type Change = (value: unknown, cell: Cell, from?: number) => unknown;

/** Whether a cell contains the further items of the list itself, not of a list in an item. */
const isOthers = ({ column: { path, rest } }: Cell) => rest && path.length === 2;

/** The cells of an item of a list. */
interface Slot {
  readonly cells: readonly Cell[];
  /** The cell with the main member; undefined without such a column, or if it is empty. */
  readonly main: Cell | undefined;
}

/**
 * Applies the cells of a row to a list; returns `before` itself without a change. A row edits items
 * in place: cells that seem to describe another item are refused, so that values of two items are
 * never mixed.
 */
function mergedList(
  before: unknown,
  cells: readonly Cell[],
  change: Change,
  findings: Finding[],
): unknown {
  const stored: readonly unknown[] = [before ?? []].flat();
  const slots = slotsOf(cells.filter((cell) => !isOthers(cell)));
  const rest = cells.find((cell) => isOthers(cell) && cell.cell !== '');
  const first = rest === undefined ? Number.POSITIVE_INFINITY : Number(rest.column.path[1]);
  const length = Math.max(stored.length, ...[...slots.keys()].map((index) => index + 1));
  const items = Array.from({ length: Math.min(length, first) }, (_, index): unknown => {
    const slot = slots.get(index);
    if (slot === undefined) return stored[index];
    // An item needs its main member.
    if (slot.main?.cell === CLEAR) return null;
    const start = startOf(stored, index, slot, findings);
    return slot.cells.reduce((value, cell) => change(value, cell, 2), start);
  });
  if (rest !== undefined) {
    // The cell contains the whole list of the further items.
    const others = { ...rest, column: { ...rest.column, rest: false } };
    items.push(...[rest.cell === CLEAR ? [] : change(stored.slice(first), others, 2)].flat());
  }
  const list = items.filter((item) => item !== undefined && item !== null);
  const isSame =
    list.length === stored.length && list.every((item, index) => item === stored[index]);
  return isSame ? before : list;
}

/** The slots of a row by place; a slot with only empty cells does not change its item. */
function slotsOf(cells: readonly Cell[]): Map<number, Slot> {
  const groups = grouped(cells, ({ column }) => Number(column.path[1]));
  const filled = [...groups].filter(([, group]) => group.some(({ cell }) => cell !== ''));
  return new Map(
    filled.map(([index, group]) => [index, { cells: group, main: group.find(isMainCell) }]),
  );
}

/** Whether a cell has the value of an item. */
function isOf({ column, cell }: Cell, item: unknown): boolean {
  if (cell === '' || cell === CLEAR) return textAt({ column, cell }, item, 2) === '';
  return compareCell(column, cell, valueIn(item, column.path.slice(2), column.rest), true).isSame;
}

/** Whether a slot identifies an item, by its main member and its kind. */
function isNameOf({ main, cells }: Slot, item: unknown): boolean {
  if (main === undefined || !isOf(main, item)) return false;
  const kinds = cells.filter(({ column: { path }, cell }) => isKind(path[2]) && cell !== '');
  return kinds.every((cell) => isOf(cell, item));
}

/** Whether each cell of a slot that differs from an item also differs from another item. */
function isNearer({ cells }: Slot, item: unknown, other: unknown): boolean {
  return cells.every((cell) => isOf(cell, item) || !isOf(cell, other));
}

/**
 * The item that the cells of a slot edit: the stored item in its place, or undefined for a new one
 * that replaces it. A slot that identifies another item is an error, and so is a slot with a new
 * main member and empty cells where the old item has values.
 */
function startOf(
  stored: readonly unknown[],
  index: number,
  slot: Slot,
  findings: Finding[],
): unknown {
  const { main, cells } = slot;
  const item = stored[index];
  if (main === undefined || cells.every((cell) => isOf(cell, item))) return item;
  const others = stored.filter((other, at) => at !== index && isNameOf(slot, other));
  if (isNameOf(slot, item) && others.every((other) => isNearer(slot, item, other))) return item;
  const refuse = (message: string) => {
    const finding = findingAt('error', main.column.path, { message, value: main.cell });
    findings.push({ ...finding, path: main.column.name });
    return item;
  };
  if (others.length > 0) {
    return refuse(
      'belongs to another item of the record: a row changes items in place; send the list as JSON',
    );
  }
  if (isOf(main, item)) return item;
  const edited = cells.filter((cell) => textAt(cell, item, 2) !== '' && !isOf(cell, item));
  // A new ORCID iD means another person, who keeps only what the row shows.
  const isOther = edited.some(
    ({ column: { path }, cell }) => path.at(-1) === 'orcid' && cell !== CLEAR,
  );
  if (edited.some(({ cell }) => cell === '') || (isOther && hasMore(item, cells))) {
    const remedy = 'write null into them, or send the list as JSON';
    return refuse(`is new, but other cells of its item are not: ${remedy}`);
  }
  return isOther ? undefined : item;
}

/** Whether an item has values without a cell in the row. */
function hasMore(item: unknown, cells: readonly Cell[]): boolean {
  // Columns of further items go first: otherwise those items would move to the places before them.
  const inOrder = cells.toSorted(
    (left, right) => Number(right.column.rest) - Number(left.column.rest),
  );
  const left = inOrder.reduce<unknown>((value, { column }) => {
    const path = column.path.slice(2);
    if (column.rest) return withOthers(value, path, []);
    return cleared(value, path, valueIn(value, path), String(column.path[0]));
  }, item);
  return hasValue(left);
}

function hasValue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasValue);
  return value !== undefined && value !== null && value !== '';
}

/** The items of a list by a key, each group in the order of the list. */
function grouped<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
