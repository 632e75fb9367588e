import { DAY_MS } from '../../text/parsers.ts';
import { isFormula, isPlainNumber } from '../output/csv.ts';

/** The text that removes a value: an empty cell does not change it. */
export const CLEAR = 'null';

/** Spreadsheets silently cut longer cells. */
const MOST_CHARACTERS = 32_767;

const NUMBER = /^[(\p{Sc}+-]*\s*(?:\d[\d.,' ]*|[.,]\d+)(?:e[+-]?\d+)?\s*[%)\p{Sc}]*$/iu;
const DATE = /^\d{1,4}[-/.: ]\s?\d{1,2}(?:[-/.: ]\s?\d{1,4})?\.?(?:[T ]\d{1,2}:\d{2}.*)?$/;
const TIME = /^\d{1,4}(?::\d{1,2}){0,2}(?:[.,]\d+)? *[ap]m?$|^\d{1,4}(?::\d{1,2}){1,2}[.,]\d+$/i;
const WORDS = /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso|vero|inf|infinity)$/i;
/** The months of some languages by their first letters, with a day or a year. */
const MONTHS =
  `jan feb fe[vé] fév mar mär mrt apr avr abr ma[ijy] mei mag jun jul jui giu lug aug ao[uû]
  ago sep set oct okt ott out nov dec dez déc dic ene gen`.replace(/\s+/g, '|');
const PART = String.raw`\d{1,4}(?!\d)(?:st|nd|rd|th)?[ ./,'-]*`;
const MONTH = new RegExp(
  `^(?:\\p{L}+,? +)?(?:${PART}){0,2}(?:${MONTHS})\\p{L}*[ ./,'-]*(?:${PART}){0,2}$`,
  'iu',
);

/** The words that R, pandas, SQL, spreadsheets and people write for a missing value. */
const MISSING = String.raw`n\/?[ad]|n\.\s?[ad]\.?|nan|nat|nv|null|none|nil|nul`;
const LONG_WORDS = 'blank|empty|missing|undefined';
const SIGNS = String.raw`[+-]?(?:1\.#)?q?nan|\\n|\.{1,3}|\?+|[-–—_]{1,3}|""|''`;
const PHRASES = 'not available|not applicable';
const NOTHING = new RegExp(
  String.raw`^(?:[#<([]?(?:${MISSING}|${LONG_WORDS})[!>)\]]?|${SIGNS}|${PHRASES})$`,
  'i',
);

/** Whether programs write a text for a missing value. */
export const isWordForNothing = (text: string): boolean => NOTHING.test(text.trim());

/** Whether a program may change a text: into a formula, a date, another number or nothing. */
function isChangeable(original: string): boolean {
  const text = original.trim();
  if (isFormula(original)) return true;
  if (text.length > MOST_OF_A_DATE) return false;
  return (
    [NUMBER, DATE, TIME, WORDS, NOTHING].some((pattern) => pattern.test(text)) ||
    (/\d/.test(text) && MONTH.test(text))
  );
}

// Longer texts are neither a date nor a number.
const MOST_OF_A_DATE = 64;

const QUOTES = /^'*/;

/**
 * A text as a cell, with an apostrophe in front of text that a program would change or run.
 * @param isVersion whether numbers get one: between empty cells, pandas and R write 2 as `2.0`.
 */
export function toCell(text: string, isVersion = false): string {
  if (!isVersion && isPlainNumber(text)) return text;
  return isChangeable(text.replace(QUOTES, '')) ? `'${text}` : text;
}

/** The text of a cell, see {@link toCell}. */
export function fromCell(cell: string): string {
  return cell.startsWith("'") && isChangeable(cell.replace(QUOTES, '')) ? cell.slice(1) : cell;
}

/** The kind of value of a cell: spreadsheets change dates and years in different ways. */
export type CellKind = 'date' | 'year' | 'other';

/** How a spreadsheet damaged a cell, as text that follows the column; undefined if it did not. */
export function damageOf(cell: string, kind: CellKind): string | undefined {
  if (cell.length === MOST_CHARACTERS) {
    return `has ${MOST_CHARACTERS} characters, where spreadsheets cut a cell: send it as JSON`;
  }
  const text = cell.trim();
  if (/^[+-]?\d(?:[.,]\d+)?E[+-]?\d+$/i.test(text)) {
    const remedy = "format the column as text, or write an ' in front";
    return `is how a spreadsheet shortens a long number: ${remedy}`;
  }
  if (/^#(?:NAME\?|REF!|VALUE!|DIV\/0!|N\/A|NUM!|NULL!)$/.test(text))
    return 'is an error of the spreadsheet';
  const day = text.replace(/[ T]0?0:00(?::00)?$/, '');
  if (kind === 'year') {
    // Of a text that begins with a year, the service would store only that.
    const isYear = /^(?:\d{4}(?:[.,]0+)?)?$/.test(day) || isWordForNothing(day);
    return isYear ? undefined : 'has to be a year such as 2024, in a column formatted as text';
  }
  if (kind === 'other' || (day === text && !isDateOfAProgram(day))) return undefined;
  return 'is a date as a spreadsheet spells it: write it as in 2024-05-01, 2024-05 or 2024';
}

/** Whether a text is a date in a form that programs write and the service does not know. */
function isDateOfAProgram(text: string): boolean {
  return (
    SPELLED.test(text) ||
    COMPACT.test(text) ||
    DECIMAL.test(text) ||
    (/\d/.test(text) && MONTH.test(text))
  );
}

const SPELLED = /^(\d{1,2})([./-])(\d{1,2}|[a-z]{3})\2(\d{2}|\d{4})$|^\d{5}(?:[.,]\d+)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)$/;
const DECIMAL = /^(\d{4})[.,]0+$/;
const ENGLISH = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const SERIAL_OF_1970 = 25_569;

/** The serial number that a spreadsheet uses for a day (ISO 8601). */
export function serialOf(day: string): number {
  return Date.parse(day) / DAY_MS + SERIAL_OF_1970;
}

/** The days (ISO 8601) that a spreadsheet may have spelled like this; empty for other texts. */
export function meantDates(text: string): readonly string[] {
  const plain = text.replace(COMPACT, '$1-$2-$3').replace(DECIMAL, '$1');
  if (plain !== text) return [plain];
  const [, first = '', separator, second = '', short = ''] = SPELLED.exec(text) ?? [];
  if (separator === undefined) {
    if (!/^\d{5}/.test(text)) return /^\d{4}-\d\d-\d\d$/.test(text) ? [text] : [];
    const days = Number.parseInt(text, 10) - SERIAL_OF_1970;
    return [new Date(days * DAY_MS).toISOString().slice(0, 10)];
  }
  const year = Number(short) + (short.length === 4 ? 0 : centuryOf(Number(short)));
  const named = ENGLISH.indexOf(second.toLowerCase()) + 1;
  const [firstNumber, secondNumber] = [Number(first), Number(second)];
  const orders = [
    [named || secondNumber, firstNumber],
    named > 0 ? [] : [firstNumber, secondNumber],
  ];
  const days = orders.flatMap(([month = 0, day = 0]) => {
    const date = new Date(Date.UTC(year, month - 1, day));
    return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
      ? [date.toISOString().slice(0, 10)]
      : [];
  });
  // With points, the day comes first.
  return separator === '.' ? days.slice(0, 1) : [...new Set(days)].sort();
}

/** Spreadsheets read years of two digits like this. */
const centuryOf = (year: number): number => (year < 30 ? 2000 : 1900);

/** The text of an edited cell, without the blanks around it, which a spreadsheet does not show. */
export function newText(cell: string): string {
  return fromCell(cell.trim()).trim();
}
