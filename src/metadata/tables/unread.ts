import { number } from '../../text/words.ts';

/** The number of values of a wrong type, and the first DOI with one, by column (`dois.year`). */
export type Unread = Record<string, { count: number; readonly doi: string }>;

export function addUnread(sum: Unread, more: Unread): void {
  for (const [column, { count, doi }] of Object.entries(more)) {
    sum[column] ??= { count: 0, doi };
    sum[column].count += count;
  }
}

/** A warning for each column. */
export function unreadWarnings(unread: Unread): readonly string[] {
  return Object.entries(unread).map(([column, { count, doi }]) => {
    const what = count === 1 ? 'one value is' : `${number(count)} values are`;
    return `${column}: ${what} not of its type and became null, such as that of ${doi}`;
  });
}
