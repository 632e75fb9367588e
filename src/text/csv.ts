/** One line of CSV (RFC 4180, with a plain newline): a field is quoted only when it must be. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\n`;
}
