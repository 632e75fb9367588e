import { lastReachablePage } from '../../../api/pagination.ts';
import type { Context } from '../../../cli/context.ts';
import { type DoiList, listError, writeList } from '../../../core/list.ts';
import type { PageRange } from '../../../core/list-pages.ts';
import { isStop } from '../../../errors.ts';
import type { RowWriter } from '../../../formats/output/row-writer.ts';
import { WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import { number } from '../../../text/words.ts';

/** Pages by their numbers, and how to print them. */
interface NumberedPages extends Omit<PageRange, 'sort'> {
  readonly limit: number | undefined;
  /** Called where no record matches. */
  readonly whenEmpty: () => Promise<void>;
}

/** Prints pages by their numbers, and how many of all records they are. */
export async function printNumbered(
  { messages }: Context,
  list: DoiList,
  writer: RowWriter<Buffer>,
  { first, last, pageSize, limit, whenEmpty }: NumberedPages,
): Promise<void> {
  const totals = new WalkTotals();
  const before = (first - 1) * pageSize;
  const asked = pageSize === 0 ? 0 : (limit ?? pageSize);
  const walk = { totals, limit, before, asked };
  const notes = await writeList(list, writer, walk).catch((error: unknown) => {
    throw isStop(error) ? listError(error, totals, last > first) : error;
  });
  const { records, lastTotal } = totals;
  if (records === 0 && pageSize > 0)
    notes.unshift(lastTotal === 0 ? 'no DOIs match' : 'no DOIs on this page');
  for (const note of notes) messages.note(note);
  if (lastTotal === 0) await whenEmpty();
  if (lastTotal === undefined || (records >= lastTotal && first === 1)) return;
  messages.note(pageFooter({ records, total: lastTotal, first, pageSize }, limit));
}

/** The shown part of a list, and how to see more: `25 of 8,600 DOIs, page 1 of 344: --page 2 …`. */
export function pageFooter(
  {
    records,
    total,
    first,
    pageSize,
  }: Readonly<Record<'records' | 'total' | 'first' | 'pageSize', number>>,
  limit: number | undefined,
): string {
  const shown = `${number(records)} of ${number(total)} DOIs`;
  // A limit may end in the middle of a page.
  if (limit !== undefined || pageSize === 0) return `${shown}: --all lists every one`;
  const last = Math.ceil(total / pageSize);
  const isMore = first < Math.min(last, lastReachablePage(pageSize));
  const more = isMore ? `--page ${first + 1} shows more, ` : '';
  return `${shown}, page ${number(first)} of ${number(last)}: ${more}--all lists every one`;
}
