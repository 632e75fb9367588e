import { writeFileSync } from 'node:fs';
import type { Row } from './editing.ts';

/** What spreadsheets, and people who use them, do to a file of rows besides its edits. */
export const HABITS = [
  'rows in another order',
  'columns in another order',
  'quotes around all cells',
  'a byte order mark',
  'semicolons',
  'words for nothing',
  'days in another form',
  'numbers in another form',
  'times in another form',
  'cells that are emptied',
  'few columns',
] as const;
export type Habit = (typeof HABITS)[number];

/** Columns that no edit is without. */
const NEEDED = ['doi', 'exported'];

/** Writes the rows of an export again, with the edited cells of each DOI. */
export function writeSheet(
  path: string,
  exported: readonly Row[],
  edits: ReadonlyMap<string, Row>,
  habits: readonly Habit[],
): void {
  const has = (habit: Habit) => habits.includes(habit);
  const editedIn = (row: Row) => edits.get(row['doi'] ?? '') ?? {};
  let heads = Object.keys(exported[0] ?? {});
  if (has('few columns')) {
    const used = new Set([...NEEDED, ...exported.flatMap((row) => Object.keys(editedIn(row)))]);
    heads = heads.filter((head) => used.has(head));
  }
  if (has('columns in another order')) heads = heads.toReversed();
  const rows = has('rows in another order') ? exported.toReversed() : exported;
  const table = rows.map((row) => {
    const own = editedIn(row);
    return heads.map((head) => own[head] ?? habitual(row[head] ?? '', head, has));
  });
  const comma = has('semicolons') ? ';' : ',';
  const delimiter = path.endsWith('tsv') ? '\t' : comma;
  const quoted = (cell: string) =>
    has('quotes around all cells') || /["\n\r,;\t]/.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  const lines = [heads, ...table].map((cells) => `${cells.map(quoted).join(delimiter)}\r\n`);
  writeFileSync(path, `${has('a byte order mark') ? '\ufeff' : ''}${lines.join('')}`);
}

/** A cell without an edit, as a spreadsheet may write it. */
function habitual(cell: string, head: string, has: (habit: Habit) => boolean): string {
  if (cell === '') return has('words for nothing') && head !== 'doi' ? 'NA' : cell;
  if (head === 'dates[0].date' && has('days in another form'))
    return cell.replace(/^'?(\d{4})-(\d\d)-(\d\d)$/, '$3.$2.$1');
  if (head === 'publicationYear' && has('numbers in another form')) return `${cell}.0`;
  if (/pointL/.test(head) && has('numbers in another form')) return cell.replace('.', ',');
  if (head === 'created' && has('times in another form'))
    return cell.replace(/^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d).*$/, '$3.$2.$1 $4');
  const mayBeEmptied = /^(?:url|version|updated|subjects)/.test(head);
  return mayBeEmptied && has('cells that are emptied') ? '' : cell;
}
