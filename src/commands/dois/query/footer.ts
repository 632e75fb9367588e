import { lastReachablePage } from '../../../api/pagination.ts';
import { number } from '../../../text/words.ts';

interface ListedPage {
  /** How many records were printed. */
  readonly records: number;
  /** The service's count of the whole list. */
  readonly total: number;
  /** The number of the first page, from 1. */
  readonly first: number;
  readonly pageSize: number;
  readonly limit: number | undefined;
}

/** What a list of pages leaves out, and how to see it: `25 of 8,600 DOIs, page 1 of 344: --page 2 shows more, …`. */
export function pageFooter({ records, total, first, pageSize, limit }: ListedPage): string {
  const shown = `${number(records)} of ${number(total)} DOIs`;
  // A limit may end in the middle of a page.
  if (limit !== undefined || pageSize === 0) return `${shown}: --all lists every one`;
  const last = Math.ceil(total / pageSize);
  const next = first + 1;
  const more = next <= Math.min(last, lastReachablePage(pageSize)) ? `--page ${next} shows more, ` : '';
  return `${shown}, page ${number(first)} of ${number(last)}: ${more}--all lists every one`;
}
