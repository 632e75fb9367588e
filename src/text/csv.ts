/** One line of CSV (RFC 4180, but with a plain newline). Fields are quoted only where necessary. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\n`;
}
