import { isDeepStrictEqual } from 'node:util';
import { type Finding, findingAt } from '../../metadata/findings.ts';
import { jsonIn } from '../../text/json-values.ts';
import { DAY_MS } from '../../text/parsers.ts';
import { abridged } from '../../text/words.ts';
import { CLEAR, fromCell, isWordForNothing, meantDates, newText, serialOf } from './cell.ts';
import { type Cell, type Column, isMainCell } from './column.ts';
import { textOf, valueIn, withResolver } from './value.ts';

/** Whether a cell has the value of the record, perhaps with a doubt. */
interface Comparison {
  readonly isSame: boolean;
  /** A doubt, as text that follows the name of the column. */
  readonly doubt?: string | undefined;
}

const SAME: Comparison = { isSame: true };
const OTHER: Comparison = { isSame: false };

/**
 * Compares a cell with the value of its column. Spellings that spreadsheets give a value are equal.
 * @param isExport whether an export wrote the cell: only then can a program have respelled it.
 */
export function compareCell(
  column: Column,
  cell: string,
  value: unknown,
  isExport: boolean,
): Comparison {
  const before = textOf(value);
  if (cell === '') return SAME;
  const [now, trimmed] = [fromCell(cell), newText(cell)];
  if (now === before || trimmed === before) return SAME;
  if (lines(now) === lines(before) || lines(trimmed) === lines(before)) return SAME;
  if (isSameValue(trimmed, value, column)) return SAME;
  if (cell === CLEAR || !isExport) return before === '' && cell === CLEAR ? SAME : OTHER;
  if (before === '' && isWordForNothing(trimmed)) return SAME;
  if (isNumeric(column) && before !== '') {
    return numbersIn(trimmed).includes(Number(before)) ||
      yearsIn(column, trimmed).includes(Number(before))
      ? SAME
      : OTHER;
  }
  if (escaped(now) !== now && plain(escaped(now)) === plain(before)) return SAME;
  const program = respelling(column, now, before);
  if (program !== undefined) {
    const doubt = `is ${shownText(before)} as ${program} it: the value stays`;
    return { isSame: true, doubt: `${doubt}; send it with --set or as JSON to change it` };
  }
  if (plain(now) === plain(before) || plain(trimmed) === plain(before)) {
    const doubt =
      'lacks control characters that the record has, which spreadsheets drop: the value stays';
    return { isSame: true, doubt: `${doubt}; send it with --set or as JSON to change it` };
  }
  return column.path[0] === 'dates' && column.path.at(-1) === 'date'
    ? compareDays(trimmed, before)
    : OTHER;
}

/** How a program has respelled a text, to be put before "it"; undefined for another text. */
function respelling({ path }: Column, now: string, before: string): string | undefined {
  if (now.includes('\\') && lines(unescaped(now)) === lines(before)) return 'databases write';
  // Between empty cells, pandas and R read whole numbers as fractions. A version may become 2.0;
  // exports protect it.
  const isWhole = /^-?\d+$/.test(before) && now.trim().replace(/[.,]0+$/, '') === before;
  return isWhole && path[0] !== 'version' ? 'pandas writes' : undefined;
}

const CHARACTERS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
/** A text without the escape sequences of databases. */
const unescaped = (text: string) =>
  text.replace(/\\([tnr\\])/g, (_, letter: string) => CHARACTERS[letter] ?? '');

function compareDays(now: string, before: string): Comparison {
  const days = daysIn(now);
  // A column that is formatted as dates shows a year as a day of 1905.
  if (/^\d{4}$/.test(before) && days.map(serialOf).includes(Number(before))) return SAME;
  if (!days.includes(before)) return OTHER;
  const others = days.filter((day) => day !== before);
  if (others.length === 0) return SAME;
  return {
    isSame: true,
    doubt: `is taken as ${before}, as in the export, and not as ${others.join()}`,
  };
}

function isSameValue(now: string, value: unknown, { path, types }: Column): boolean {
  if (typeof value === 'object' && value !== null) {
    const isJson = types.some((type) => type === 'object' || type === 'array');
    return isJson && isDeepStrictEqual(jsonIn(now), value);
  }
  const last = path.at(-1);
  return (last === 'orcid' || last === 'ror') && withResolver(last, now) === value;
}

const lines = (text: string) => Buffer.from(text.replace(/\r\n?/g, '\n')).toString();
/** A text as spreadsheets store it. */
const plain = (text: string) => lines(text).replace(CONTROL, '');
/** A text with the characters that Excel's files spell as `_x000D_`. */
const escaped = (text: string) =>
  text.replace(EXCEL_ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
export const EXCEL_ESCAPE = /_x([0-9A-F]{4})_/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what spreadsheets drop.
const CONTROL = /[\0-\t\v-\x1f]/g;

const isNumeric = ({ types }: Column) =>
  types.some((type) => type === 'integer' || type === 'number');

/** The numbers that a text may mean: `1.234` may be more than a thousand, or a little over 1. */
function numbersIn(text: string): readonly number[] {
  const bare = text.replace(/[\s'’](?=\d{3}(?!\d))/g, '');
  const numbers = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(bare) ? [Number(bare)] : [];
  if (/^[+-]?\d+,\d+$/.test(bare)) numbers.push(Number(bare.replace(',', '.')));
  // Separators of thousands stand three digits apart.
  if (/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare))
    numbers.push(Number(bare.replaceAll(',', '')));
  if (/^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(bare)) {
    numbers.push(Number(bare.replaceAll('.', '').replace(',', '.')));
  }
  return numbers;
}

/** The years that a spreadsheet may have turned into a date, as serial numbers of days. */
function yearsIn({ path }: Column, text: string): readonly number[] {
  return path[0] === 'publicationYear' ? daysIn(text).map(serialOf) : [];
}

const daysIn = (text: string) =>
  meantDates(
    text.replace(/[ T]0?0:00(?::00)?$/, '').replace(/^(\d{4})[./](\d\d)[./](\d\d)$/, '$1-$2-$3'),
  );

/** Whether a time in a cell differs from the time of a record, as far as its form shows. */
export function isOtherTime(cell: string, time: string): boolean {
  const text = cell.trim();
  if (MOMENT.test(text)) return MOMENT.test(time) && Date.parse(text) !== Date.parse(time);
  const [day = ''] = text.split(/[ T]/);
  const days = daysIn(day);
  // A spreadsheet may show the time of another time zone.
  const apart = days.map((possible) =>
    Math.abs(Date.parse(possible) - Date.parse(time.slice(0, 10))),
  );
  return apart.length > 0 && apart.every((ms) => ms > DAY_MS);
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A text as messages about cells show it. */
export function shownText(text: string): string {
  if (text === '') return 'empty';
  return JSON.stringify(abridged(text));
}

/** Warnings about edits of an exported row that may be mistakes. @param before the old value. */
export function warningsAbout(cells: readonly Cell[], before: unknown): readonly Finding[] {
  return [...emptiedFindings(cells, before), ...nameFindings(cells, before)];
}

/** Warnings about cells that were emptied since the export, except in removed items. */
function emptiedFindings(cells: readonly Cell[], before: unknown): readonly Finding[] {
  const removed = new Set(
    cells
      .filter((cell) => cell.cell === CLEAR && isMainCell(cell))
      .map(({ column }) => column.path[1]),
  );
  return cells.flatMap(({ column, cell }) => {
    const { path, name } = column;
    const text = cell === '' && !removed.has(path[1]) ? textAt({ column, cell }, before, 1) : '';
    if (text === '') return [];
    const change = `is empty, and was ${shownText(text)} in the export`;
    const message = `${change}: the value stays; ${CLEAR} removes it`;
    return [{ ...findingAt('warning', path, { message }), path: name }];
  });
}

/** Members that belong to a name, and may be wrong next to a new name. */
const OF_A_NAME = ['givenName', 'familyName', 'orcid', 'ror'];

/** Warnings about new names next to values of the old name. */
function nameFindings(cells: readonly Cell[], before: unknown): readonly Finding[] {
  return cells.flatMap((main) => {
    const { path, name } = main.column;
    const old = textAt(main, before, 1);
    if (path.at(-1) !== 'name' || old === '' || main.cell === CLEAR || isUnedited(main, before))
      return [];
    const [words, oldWords] = [wordsIn(newText(main.cell)), wordsIn(old)];
    const isOther = !words.some((word) => oldWords.includes(word));
    const stays = cells.filter((cell) => {
      const last = String(cell.column.path.at(-1));
      const isBeside = path.slice(0, -1).every((step, depth) => cell.column.path[depth] === step);
      if (!isBeside || cell.column.path.length !== path.length || !OF_A_NAME.includes(last))
        return false;
      const text = textAt(cell, before, 1);
      if (text === '' || !isUnedited(cell, before)) return false;
      return last.endsWith('Name') ? !wordsIn(text).some((word) => isIn(word, words)) : isOther;
    });
    if (stays.length === 0) return [];
    const names = new Intl.ListFormat('en').format(stays.map(({ column }) => column.name));
    const verb = stays.length === 1 ? 'stays' : 'stay';
    const remedy = 'correct what belongs to the old name';
    const message = `is new, and ${names} ${verb} as before: ${remedy}`;
    return [{ ...findingAt('warning', path, { message, value: main.cell }), path: name }];
  });
}

/** The text that a value has for a cell. @param from the steps of the path that lead to `value`. */
export function textAt({ column: { path, rest } }: Cell, value: unknown, from: number): string {
  return textOf(valueIn(value, path.slice(from), rest));
}

const isUnedited = ({ column, cell }: Cell, before: unknown) =>
  compareCell(column, cell, valueIn(before, column.path.slice(1), column.rest), true).isSame;
const wordsIn = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** Whether a word, or its first letter, is among other words. */
const isIn = (word: string, words: readonly string[]) =>
  words.some((other) => other === word || other === word[0]);
