import { deflateSync, inflateSync } from 'node:zlib';
import { isObject, type JsonObject, jsonIn } from '../../text/json-values.ts';
import { type Finding, findingAt } from '../findings.ts';
import { CLEAR, fromCell, meantDates, says } from './cell.ts';
import { type Cell, type Column, columnNamed, columnsFor, isKind, isMain } from './column.ts';
import { cellIn } from './value.ts';

/** What an export wrote about one record. */
export interface Exported {
  readonly doi: string;
  /** The cells that were not empty, by the names of their columns. */
  readonly cells: Readonly<Record<string, string>>;
  /** The attributes that were exported, if not the usual ones. */
  readonly fields?: readonly string[] | undefined;
}

const MARK = 'v1.';
// Spreadsheets cut longer cells.
const MOST_CHARACTERS = 30_000;

/** The cell of the column `exported`, which {@link exportedIn} reads; empty where it would be too long. */
export function exportedCell(
  doi: string,
  cells: readonly (readonly [name: string, cell: string])[],
  fields?: readonly string[],
): string {
  const filled = Object.fromEntries(cells.filter(([, cell]) => cell !== ''));
  const json = JSON.stringify([doi, filled, ...(fields === undefined ? [] : [fields])]);
  const packed = MARK + deflateSync(json).toString('base64url');
  return packed.length <= MOST_CHARACTERS ? packed : '';
}

/** What an export wrote, from its cell; undefined for a cell that is empty, cut or of another version. */
export function exportedIn(cell: string): Exported | undefined {
  const text = cell.trim();
  if (!text.startsWith(MARK)) return undefined;
  const [doi, cells, fields] = unpacked(text.slice(MARK.length));
  if (typeof doi !== 'string' || !isObject(cells)) return undefined;
  return { doi, cells: cells as Exported['cells'], fields: fields as readonly string[] | undefined };
}

function unpacked(text: string): readonly unknown[] {
  try {
    const value = jsonIn(inflateSync(Buffer.from(text, 'base64url')).toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Whether a cell says what the export wrote, in whatever form a spreadsheet has given it. */
function isAsExported(column: Column, cell: string, exported = ''): boolean {
  const [now, before] = [fromCell(cell), fromCell(exported)];
  return says(cell, before) || isRespelled(column, now, before);
}

/** Whether a text is what was exported in the form that a spreadsheet gives to a date or a number. */
function isRespelled({ path, types }: Column, now: string, before: string): boolean {
  if (path[0] === 'dates' && path.at(-1) === 'date') return daysIn(now).includes(before);
  const isNumber = types.some((type) => type === 'integer' || type === 'number');
  return isNumber && before !== '' && numbersIn(now).includes(Number(before));
}

const daysIn = (text: string) =>
  meantDates(
    text
      .trim()
      .replace(/ 0?0:00(?::00)?$/, '')
      .replace(/^(\d{4})[./](\d\d)[./](\d\d)$/, '$1-$2-$3'),
  );

/** The numbers that a text may mean: `1.234` is a thousand, or a little more than one. */
function numbersIn(text: string): readonly number[] {
  const plain = text.replace(/[\s'’]/g, '');
  if (!/^[+-]?\d[\d.,]*$/.test(plain)) return [];
  return [plain, plain.replaceAll(',', ''), plain.replaceAll('.', '').replace(',', '.')].map(Number);
}

interface Edits {
  /** The cells that somebody has edited since the export. */
  readonly cells: readonly Cell[];
  /** About cells that change nothing, although somebody may have meant it. */
  readonly findings: readonly Finding[];
}

/** The cells of a row that differ from what was exported. */
export function editsIn(cells: readonly Cell[], { cells: before }: Exported): Edits {
  const own = cells.filter(({ column: { name, types } }) => types.length > 0 && name !== 'doi');
  const changed = own.filter(({ column, cell }) => !isAsExported(column, cell, before[column.name]));
  const findings = own.flatMap(({ column, cell }) => {
    const message = doubt(column, cell, before[column.name]);
    return message === undefined
      ? []
      : [{ ...findingAt('warning', column.path, { message }), path: column.name }];
  });
  return { cells: changed.filter(({ cell }) => cell !== ''), findings };
}

function doubt(column: Column, cell: string, exported: string | undefined): string | undefined {
  if (exported === undefined) return undefined;
  if (cell === '')
    return `is empty, and was ${shownCell(exported)} in the export: the value stays; ${CLEAR} takes it away`;
  if (!isRespelled(column, fromCell(cell), fromCell(exported))) return undefined;
  const others = daysIn(fromCell(cell)).filter((day) => day !== fromCell(exported));
  return others.length === 0
    ? undefined
    : `is taken as ${fromCell(exported)}, as in the export, and not as ${others.join()}`;
}

/** An edited cell whose value somebody else has changed since the export. */
interface Conflict {
  /** The column of the edited cell. */
  readonly column: Column;
  readonly edited: string;
  /** The column whose value is another one now: the same, or one that says which item of a list it is. */
  readonly changed: string;
  readonly exported: string;
  readonly present: string;
}

/**
 * The edited cells of a row that somebody else has changed since the export, or whose item is another one
 * now. @param stored the record as it is, with publisher and affiliations as objects.
 */
export function conflictsIn(
  edited: readonly Cell[],
  exported: Exported,
  stored: JsonObject,
): readonly Conflict[] {
  const covered = new Set(columnsFor(exported.fields).map(({ name }) => name));
  const present = (column: Column) => cellIn(stored, column);
  const isChanged = (column: Column) => !isAsExported(column, present(column), exported.cells[column.name]);
  return edited.flatMap(({ column, cell }): Conflict[] => {
    if (!covered.has(column.name)) return [];
    const own = [column, ...[...covered].flatMap((name) => columnsOfItem(name, column, cell))];
    // What somebody else has changed to the same is as asked.
    const changed = own.find(
      (one) => isChanged(one) && !(one === column && says(cell, fromCell(present(one)))),
    );
    if (changed === undefined) return [];
    const { name } = changed;
    return [
      {
        column,
        edited: shownCell(cell),
        changed: name,
        exported: shownCell(exported.cells[name]),
        present: shownCell(present(changed)),
      },
    ];
  });
}

/** The other columns that say which item of a list a cell is about; of an item that is taken away, all of its columns. */
function columnsOfItem(name: string, { path, name: own, rest }: Column, cell: string): readonly Column[] {
  if (rest || name === own || !name.startsWith(`${String(path[0])}[`)) return [];
  const other = columnNamed(name);
  if (other === undefined || other.rest) return [];
  const isOfItem = path.some((step, depth) => {
    const isInside =
      typeof step === 'number' && path.slice(0, depth + 1).every((one, at) => one === other.path[at]);
    if (!isInside) return false;
    const isRemoved = cell === CLEAR && depth === 1 && isMain(path[2]);
    const member = other.path[depth + 1];
    return isRemoved || (other.path.length === depth + 2 && (isMain(member) || isKind(member)));
  });
  return isOfItem ? [other] : [];
}

const MOST_SHOWN = 200;

/** A cell as a message shows it. */
function shownCell(cell = ''): string {
  const text = fromCell(cell);
  if (text === '') return 'empty';
  return JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}
