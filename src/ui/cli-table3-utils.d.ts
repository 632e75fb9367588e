/** The part of cli-table3 that measures text; its own types cover tables only. */
declare module 'cli-table3/src/utils.js' {
  /** The columns that a text takes on a terminal: wide characters take two. */
  export function strlen(text: string): number;
  /** The text, cut to a number of columns with an ellipsis as its last character. */
  export function truncate(text: string, columns: number): string;
}
