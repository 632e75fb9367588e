/** Spreadsheets treat a text that begins like this as a formula, full-width characters included. */
const FORMULA = /^\s*[=+\-@\t\r＝＋－＠]/;

/** Whether a spreadsheet would run a text as a formula; it keeps a plain number such as `-7.5`. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text) && !isPlainNumber(text);
}

/** Whether a text is a number that spreadsheets save unchanged. */
export function isPlainNumber(text: string): boolean {
  if (text.length > 11 || text === '-0' || FOREIGN.test(text)) return false;
  return /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text);
}

/** Texts that spreadsheets of other locales read as a date, or as a number without its point. */
const FOREIGN = /^\d{1,2}\.\d{1,2}$|^-?\d{1,3}\.\d{3}$/;

/**
 * One line of CSV (RFC 4180, but with a plain newline) or TSV. Fields are quoted only if necessary,
 * and fields that a spreadsheet would run as a formula get an apostrophe in front.
 */
export function delimitedLine(fields: readonly string[], delimiter: ',' | '\t' = ','): string {
  const quoted = (field: string) =>
    field.includes(delimiter) || /["\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  const safe = (field: string) => (isFormula(field) ? `'${field}` : field);
  return `${fields.map((field) => quoted(safe(field))).join(delimiter)}\n`;
}
