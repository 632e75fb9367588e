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
  ...['jan', 'feb', 'fe[vé]', 'fév', 'mar', 'mär', 'mrt', 'apr', 'avr', 'abr', 'ma[ijy]', 'mei', 'mag'],
  ...['jun', 'jul', 'jui', 'giu', 'lug', 'aug', 'ao[uû]', 'ago', 'sep', 'set', 'oct', 'okt', 'ott', 'out'],
  ...['nov', 'dec', 'dez', 'déc', 'dic', 'ene', 'gen'],
].join('|');
const PART = String.raw`\d{1,4}(?!\d)(?:st|nd|rd|th)?[ ./,'-]*`;
const MONTH = new RegExp(
  `^(?:\\p{L}+,? +)?(?:${PART}){0,2}(?:${MONTHS})\\p{L}*[ ./,'-]*(?:${PART}){0,2}$`,
  'iu',
);

/** Whether a spreadsheet would take a text for something else: a formula, a date, another number. */
function isChangeable(given: string): boolean {
  const text = given.trim();
  if (text === given && isPlainNumber(text)) return false;
  if (FORMULA.test(given) || FORMULA.test(text)) return true;
  if (text.length > MOST_OF_A_DATE) return false;
  return [NUMBER, DATE, TIME, WORDS].some((one) => one.test(text)) || (/\d/.test(text) && MONTH.test(text));
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
 * A text as a cell. One that a spreadsheet would change, or run as a formula, has an apostrophe in front; so
 * has one that would look like it, so that `fromCell` finds the same text.
 */
export function toCell(text: string): string {
  return isChangeable(text.replace(QUOTES, '')) ? `'${text}` : text;
}

/** The text of a cell, see {@link toCell}. */
export function fromCell(cell: string): string {
  return cell.startsWith("'") && isChangeable(cell.replace(QUOTES, '')) ? cell.slice(1) : cell;
}

/** Why a cell is not what was typed into it; undefined for any other cell. */
export function mangled(cell: string, isDate: boolean): string | undefined {
  if (cell.length === MOST_CHARACTERS) {
    return `has ${MOST_CHARACTERS} characters, where spreadsheets cut a cell: send it as JSON`;
  }
  if (/^[+-]?\d(?:[.,]\d+)?E[+-]?\d+$/i.test(cell)) {
    return "is how a spreadsheet shortens a long number: format the column as text, or write an ' in front";
  }
  if (/^#(?:NAME\?|REF!|VALUE!|DIV\/0!|N\/A|NUM!|NULL!)$/.test(cell)) return 'is an error of the spreadsheet';
  const isSpelled =
    /^\d{1,2}([./])\d{1,2}\1(?:\d{2}|\d{4})$|^\d{1,2}-[a-z]{3}-\d{2,4}$| 0?0:00(?::00)?$|^\d{5}(?:[.,]\d+)?$/i.test(
      cell,
    );
  return isDate && isSpelled ? 'is a date as a spreadsheet spells it: write it as 2024-05-31' : undefined;
}

/**
 * Whether two texts are the same, but for what spreadsheets do not keep: they write line breaks in their own way
 * and drop tabs and other control characters, and half a character has no bytes.
 */
export function sameText(a: string, b: string): boolean {
  const plain = (text: string) => Buffer.from(text.replace(/\r\n?/g, '\n').replace(CONTROL, '')).toString();
  return a === b || plain(a) === plain(b);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what spreadsheets drop.
const CONTROL = /[\0-\t\v-\x1f]/g;

/** Whether a cell is a text whose UTF-8 a spreadsheet has read as another encoding. */
export function isMisread(cell: string, text: string): boolean {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return false;
  return ['windows-1252', 'macintosh'].some((encoding) =>
    sameText(new TextDecoder(encoding).decode(bytes), cell),
  );
}
