/** The part of cli-table3 that measures text; its own types cover tables only. */
declare module 'cli-table3/src/utils.js' {
  /** The columns that a text takes on a terminal: wide characters take two. */
  export function strlen(text: string): number;
}
