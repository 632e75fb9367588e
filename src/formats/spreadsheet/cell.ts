import { DAY_MS } from '../../text/parsers.ts';

/** What empties a value, because an empty cell leaves it as it is. */
export const CLEAR = 'null';

/** A spreadsheet cuts longer cells without a word. */
const MOST_CHARACTERS = 32_767;

const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[(\p{Sc}+-]*\s*(?:\d[\d.,' ]*|[.,]\d+)(?:e[+-]?\d+)?\s*[%)\p{Sc}]*$/iu;
const DATE = /^\d{1,4}[-/.: ]\s?\d{1,2}(?:[-/.: ]\s?\d{1,4})?\.?(?:[T ]\d{1,2}:\d{2}.*)?$/;
const TIME = /^\d{1,4}(?::\d{1,2}){0,2}(?:[.,]\d+)? *[ap]m?$|^\d{1,4}(?::\d{1,2}){1,2}[.,]\d+$/i;
/** What other languages read as a date, or as a number without its point. */
const FOREIGN = /^\d{1,2}\.\d{1,2}$|^-?\d{1,3}\.\d{3}$/;
const WORDS = /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso|vero|null)$/i;
/** The months of some languages by their first letters, with a day or a year. */
const MONTHS = [
  ...[
    'jan',
    'feb',
    'fe[vé]',
    'fév',
    'mar',
    'mär',
    'mrt',
    'apr',
    'avr',
    'abr',
    'ma[ijy]',
    'mei',
    'mag',
  ],
  ...[
    'jun',
    'jul',
    'jui',
    'giu',
    'lug',
    'aug',
    'ao[uû]',
    'ago',
    'sep',
    'set',
    'oct',
    'okt',
    'ott',
    'out',
  ],
  ...['nov', 'dec', 'dez', 'déc', 'dic', 'ene', 'gen'],
].join('|');
const PART = String.raw`\d{1,4}(?!\d)(?:st|nd|rd|th)?[ ./,'-]*`;
const MONTH = new RegExp(
  `^(?:\\p{L}+,? +)?(?:${PART}){0,2}(?:${MONTHS})\\p{L}*[ ./,'-]*(?:${PART}){0,2}$`,
  'iu',
);

/**
 * Whether a spreadsheet would take a text for something else: a formula, a date, another number.
 */
function isChangeable(original: string): boolean {
  const text = original.trim();
  if (text === original && isPlainNumber(text)) return false;
  if (FORMULA.test(original) || FORMULA.test(text)) return true;
  if (text.length > MOST_OF_A_DATE) return false;
  return (
    [NUMBER, DATE, TIME, WORDS].some((pattern) => pattern.test(text)) ||
    (/\d/.test(text) && MONTH.test(text))
  );
}

// Longer texts are neither a date nor a number.
const MOST_OF_A_DATE = 64;

/** A number that a spreadsheet writes as it reads it. */
function isPlainNumber(text: string): boolean {
  if (text.length > 11 || text === '-0' || FOREIGN.test(text)) return false;
  return /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text);
}

const QUOTES = /^'*/;

/**
 * A text as a cell. What a spreadsheet would change or run has an apostrophe in front, see {@link
 * fromCell}.
 */
export function toCell(text: string): string {
  return isChangeable(text.replace(QUOTES, '')) ? `'${text}` : text;
}

/** The text of a cell, see {@link toCell}. */
export function fromCell(cell: string): string {
  return cell.startsWith("'") && isChangeable(cell.replace(QUOTES, '')) ? cell.slice(1) : cell;
}

/** What a cell holds, where spreadsheets change it in ways of their own. */
export type CellKind = 'date' | 'year' | 'other';

/**
 * How a spreadsheet has damaged a cell, in words that follow its column; undefined for any other
 * cell.
 */
export function damageOf(cell: string, kind: CellKind): string | undefined {
  if (cell.length === MOST_CHARACTERS) {
    return `has ${MOST_CHARACTERS} characters, where spreadsheets cut a cell: send it as JSON`;
  }
  const text = cell.trim();
  if (/^[+-]?\d(?:[.,]\d+)?E[+-]?\d+$/i.test(text)) {
    return "is how a spreadsheet shortens a long number: format the column as text, or write an ' in front";
  }
  if (/^#(?:NAME\?|REF!|VALUE!|DIV\/0!|N\/A|NUM!|NULL!)$/.test(text))
    return 'is an error of the spreadsheet';
  const day = text.replace(/[ T]0?0:00(?::00)?$/, '');
  if (kind === 'year') return damageOfYear(day);
  if (kind === 'other' || (day === text && !isDateOfAProgram(day))) return undefined;
  return `is a date as a spreadsheet spells it: write it as ${meantDates(day).join(' or ') || 'YYYY-MM-DD'}`;
}

/** Whether a text is a date, in a form that programs give it and the service does not know. */
function isDateOfAProgram(text: string): boolean {
  return (
    SPELLED.test(text) ||
    COMPACT.test(text) ||
    DECIMAL.test(text) ||
    (/\d/.test(text) && MONTH.test(text))
  );
}

/** A spreadsheet shows the year 2025 as a day of 1905 where a column is formatted as dates. */
function damageOfYear(text: string): string | undefined {
  const [isDate, year, month = '', date] = YEAR_FIRST.exec(text) ?? [];
  const day =
    date === undefined ? text : `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const years = /^\d{5}|^\d{4}[.,]0+$/.test(day) ? [] : meantDates(day).map(serialOf);
  if (years.length === 0 && isDate === undefined) return undefined;
  const likely = years.filter((year) => year >= 1000 && year <= 2200);
  const meant = likely.length > 0 ? `, which may stand for ${likely.join(' or ')}` : '';
  return `is a date${meant}: write the year as a number, in a column formatted as text`;
}

/**
 * A date that begins with its year, also with the time of a day, or a month. A point alone is one
 * of a number.
 */
const YEAR_FIRST =
  /^(\d{4})(?:[-./年]\s?(\d{1,2})[-./月]\s?(\d{1,2})日?(?:[T ].*)?|[-/年]\s?\d{1,2}月?)$/;
const SPELLED = /^(\d{1,2})([./-])(\d{1,2}|[a-z]{3})\2(\d{2}|\d{4})$|^\d{5}(?:[.,]\d+)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)$/;
const DECIMAL = /^(\d{4})[.,]0+$/;
const ENGLISH = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
];
const SERIAL_OF_1970 = 25_569;

/** The number of days by which a spreadsheet counts a day of ISO 8601. */
export function serialOf(day: string): number {
  return Date.parse(day) / DAY_MS + SERIAL_OF_1970;
}

/**
 * The days that a spreadsheet may have spelled in this way, as ISO 8601; none for any other text.
 */
export function meantDates(text: string): readonly string[] {
  const plain = text.replace(COMPACT, '$1-$2-$3').replace(DECIMAL, '$1');
  if (plain !== text) return [plain];
  const [, first = '', separator, second = '', short = ''] = SPELLED.exec(text) ?? [];
  if (separator === undefined) {
    if (!/^\d{5}/.test(text)) return /^\d{4}-\d\d-\d\d$/.test(text) ? [text] : [];
    const days = Number.parseInt(text, 10) - SERIAL_OF_1970;
    return [new Date(days * DAY_MS).toISOString().slice(0, 10)];
  }
  // Spreadsheets read years of two digits like this.
  const year = Number(short) + (short.length === 4 ? 0 : Number(short) < 30 ? 2000 : 1900);
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

/**
 * The text that a cell gives a value: blanks around it, which a spreadsheet does not show, are not
 * part of it.
 */
export function newText(cell: string): string {
  return fromCell(cell.trim()).trim();
}
