import { READ_ONLY } from '../../api/record-match.ts';
import { type Finding, findingAt } from '../../metadata/findings.ts';
import type { JsonObject } from '../../text/json-values.ts';
import type { RowChanges } from '../input/record.ts';
import { type CellKind, CLEAR, damageOf, newText } from './cell.ts';
import { type Cell, type Column, EXPORTED, isKind, isMainCell, OUTPUT_ONLY } from './column.ts';
import { compareCell, isWordForNothing } from './compare.ts';
import { warningsAbout } from './row-warnings.ts';
import { textOf, typedValue, valueIn, withValue } from './value.ts';

interface RowOptions {
  /** An event that changes the state. */
  readonly event?: string | undefined;
  /** Whether the cells were written by an export, and may have been respelled since. */
  readonly isExport?: boolean;
}

/**
 * Puts what the cells of a row change into a record. @param stored the attributes; undefined for a
 * new record.
 */
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
  if (stored === undefined) {
    for (const [name, value] of Object.entries(attributes))
      if (value === null) delete attributes[name];
  }
  return { attributes, findings };
}

/** The cells by the attribute that they are about, without those that are only for reading. */
function byRoot(cells: readonly Cell[], isNew: boolean): ReadonlyMap<string, readonly Cell[]> {
  const roots = new Map<string, Cell[]>();
  for (const cell of cells) {
    const root = String(cell.column.path[0]);
    if (root === 'doi' || root === EXPORTED || OUTPUT_ONLY.includes(root)) continue;
    if (!isNew && READ_ONLY.has(root) && root !== 'state') continue;
    const known = roots.get(root);
    if (known === undefined) roots.set(root, [cell]);
    else known.push(cell);
  }
  return roots;
}

interface ChangeContext {
  /** How many steps of the path lead to the value. */
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
  // Without checks, the text is sent as it is.
  const refuse = (message: string) => {
    note('error', message, cell);
    return put(text);
  };
  const damage = damageOf(cell, kindOf(column));
  if (damage !== undefined) return refuse(damage);
  if (isWordForNothing(text)) note('warning', WORD_FOR_NOTHING, cell);
  try {
    return put(typedValue(text, column));
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const WORD_FOR_NOTHING =
  'is how programs write that there is no value, and is sent as text: empty the cell';

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

/** A value with a list in place of the items from an index on. */
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
  const message = `is not the state of the record, ${String(before)}, which only an event changes: empty the cell, or use --event`;
  return findingAt('error', ['state'], { message, value });
}

/** A value with one cell put into it. @param from how many steps of the path lead to the value. */
type Change = (value: unknown, cell: Cell, from?: number) => unknown;

/** Whether a cell holds the further items of the list, not those of a list in an item. */
const isOthers = ({ column: { path, rest } }: Cell) => rest && path.length === 2;

/** The cells about one item of a list. */
interface Slot {
  readonly cells: readonly Cell[];
  /** The cell with the main member; undefined without such a column or text. */
  readonly main: Cell | undefined;
}

/**
 * A list with the cells of a row put into it; itself when none changes it. A row edits items in
 * their places: one that seems to be about another item is refused, because the cells of one must
 * never be mixed with values of another.
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
    // The column of the other items holds the whole of their list.
    const others = { ...rest, column: { ...rest.column, rest: false } };
    items.push(...[rest.cell === CLEAR ? [] : change(stored.slice(first), others, 2)].flat());
  }
  const list = items.filter((item) => item !== undefined && item !== null);
  const isSame =
    list.length === stored.length && list.every((item, index) => item === stored[index]);
  return isSame ? before : list;
}

/** The places of a row with text; one with empty cells only leaves its item as it is. */
function slotsOf(cells: readonly Cell[]): Map<number, Slot> {
  const groups = new Map<number, Cell[]>();
  for (const cell of cells) {
    const index = Number(cell.column.path[1]);
    const group = groups.get(index);
    if (group === undefined) groups.set(index, [cell]);
    else group.push(cell);
  }
  const filled = [...groups].filter(([, group]) => group.some(({ cell }) => cell !== ''));
  return new Map(
    filled.map(([index, group]) => [index, { cells: group, main: group.find(isMainCell) }]),
  );
}

const textIn = (item: unknown, { column: { path, rest } }: Cell): string =>
  textOf(valueIn(item, path.slice(2), rest));

/** Whether a cell holds what an item has. */
function isOf({ column, cell }: Cell, item: unknown): boolean {
  if (cell === '' || cell === CLEAR) return textIn(item, { column, cell }) === '';
  return compareCell(column, cell, valueIn(item, column.path.slice(2), column.rest), true).isSame;
}

/** Whether a slot names an item, by its main member and its kind. */
function isNameOf({ main, cells }: Slot, item: unknown): boolean {
  if (main === undefined || !isOf(main, item)) return false;
  const kinds = cells.filter(({ column: { path }, cell }) => isKind(path[2]) && cell !== '');
  return kinds.every((cell) => isOf(cell, item));
}

/** Whether a slot differs from an item in nothing in which it does not differ from another one. */
function isNearer({ cells }: Slot, item: unknown, other: unknown): boolean {
  return cells.every((cell) => isOf(cell, item) || !isOf(cell, other));
}

/**
 * The item that the cells of a slot edit: the one in its place, or a new one that replaces it. A
 * slot that names another item, or has a new name and empty cells where the old item has values, is
 * an error.
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
      'names another item of the record: a row changes items in their places; send the list as JSON',
    );
  }
  if (isOf(main, item)) return item;
  const edited = cells.filter((cell) => textIn(item, cell) !== '' && !isOf(cell, item));
  // With another identifier it is another person, who has nothing of the first but what the row
  // shows.
  const isOther = edited.some(
    ({ column: { path }, cell }) => path.at(-1) === 'orcid' && cell !== CLEAR,
  );
  if (edited.some(({ cell }) => cell === '') || (isOther && hasMore(item, cells))) {
    return refuse(
      'is new, but not all of the rest is: write null into it, or send the list as JSON',
    );
  }
  return isOther ? undefined : item;
}

/** Whether an item has values for which the row has no cell. */
function hasMore(item: unknown, cells: readonly Cell[]): boolean {
  // Without the first affiliation, the others would move to its place.
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
