/**
 * One line of CSV (RFC 4180, but with a plain newline) or TSV. Fields are quoted only if necessary.
 */
export function delimitedLine(fields: readonly string[], delimiter: ',' | '\t' = ','): string {
  const quoted = (field: string) =>
    field.includes(delimiter) || /["\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  return `${fields.map(quoted).join(delimiter)}\n`;
}

/** A text as a field that no spreadsheet runs as a formula. */
export function safeField(text: string): string {
  return /^\s*[=+\-@\t\r]/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text;
}
