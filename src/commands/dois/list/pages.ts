import { lastReachablePage } from '../../../api/pagination.ts';
import type { Context } from '../../../cli/context.ts';
import {
  type DoiList,
  type ListedPage,
  listError,
  type PageRange,
  recordsOf,
  wholeList,
} from '../../../core/list.ts';
import { CliError, ClosedPipe, isStop } from '../../../errors.ts';
import type { RowWriter } from '../../../formats/output/row-writer.ts';
import { WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import { counted, formatDuration, number, plural } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';

interface Listing {
  readonly context: Context;
  readonly list: DoiList;
  readonly writer: RowWriter<Buffer>;
  readonly limit: number | undefined;
  /** Called where no record was found. */
  readonly whenEmpty: () => Promise<void>;
}

/** `--all`: shows progress, and compares the records with the service's count at the end. */
export async function printAll(listing: Listing, onScreen: boolean): Promise<void> {
  const { context, limit } = listing;
  const progress = await Progress.start(context, onScreen);
  const totals = new WalkTotals();
  try {
    const notes = await writeList(listing, {
      totals,
      onPage: ({ records, total }) =>
        progress.update(records, limit === undefined ? total : Math.min(limit, total ?? limit)),
      onEnd: () => progress.stop(),
    });
    const { records, lastTotal = records } = totals;
    const isCut = limit !== undefined && records >= limit;
    const count = isCut
      ? `${recordsOf(totals)} ${plural(lastTotal, 'DOI')}`
      : counted(records, 'DOI');
    context.messages.note([`${count} in ${formatDuration(progress.elapsed)}`, ...notes].join('; '));
    if (lastTotal === 0) await listing.whenEmpty();
  } catch (error) {
    progress.stop();
    throw listError(error, totals);
  }
}

/** Prints pages by their numbers, and says how many of all records they are. */
export async function printNumbered(
  listing: Listing,
  { first, last, pageSize }: Pick<PageRange, 'first' | 'last' | 'pageSize'>,
): Promise<void> {
  const { context, limit } = listing;
  const totals = new WalkTotals();
  const before = (first - 1) * pageSize;
  const asked = pageSize === 0 ? 0 : (limit ?? pageSize);
  const notes = await writeList(listing, { totals, before, asked }).catch((error: unknown) => {
    throw isStop(error) ? listError(error, totals, last > first) : error;
  });
  const { records, lastTotal } = totals;
  if (records === 0 && pageSize > 0)
    notes.unshift(lastTotal === 0 ? 'no DOIs match' : 'no DOIs on this page');
  for (const note of notes) context.messages.note(note);
  if (lastTotal === 0) await listing.whenEmpty();
  if (lastTotal === undefined || (records >= lastTotal && first === 1)) return;
  context.messages.note(pageFooter({ records, total: lastTotal, first, pageSize }, limit));
}

interface WriteOptions {
  readonly totals: WalkTotals;
  readonly before?: number;
  readonly asked?: number;
  readonly onPage?: (page: ListedPage) => void;
  readonly onEnd?: () => void;
}

/**
 * Writes a list to its end or its limit. The output is well-formed even if an error ends it.
 * @returns notes for people.
 */
async function writeList(
  { list, writer, limit }: Listing,
  { onPage, onEnd, ...walk }: WriteOptions,
): Promise<string[]> {
  const notes: string[] = [];
  let isWritten = false;
  const end = async () => {
    isWritten = true;
    await writer.end();
    onEnd?.();
  };
  const onNote = (text: string) => void notes.push(text);
  try {
    for await (const page of wholeList(list, { ...walk, limit, onEnd: end, onNote })) {
      // An array without records is `[]`.
      if (page.count > 0) await writer.write(page);
      onPage?.(page);
    }
  } catch (error) {
    const isLost =
      error instanceof ClosedPipe || (error instanceof CliError && error.kind === 'output');
    // A JSON array that stops in the middle still needs its closing bracket.
    if (!isLost && !isWritten && walk.totals.records > 0) await writer.end();
    throw error;
  }
  return notes;
}

type ShownPage = Readonly<Record<'records' | 'total' | 'first' | 'pageSize', number>>;

/**
 * What a list of pages leaves out, and how to see it: `25 of 8,600 DOIs, page 1 of 344: --page 2
 * shows more, …`.
 */
export function pageFooter(
  { records, total, first, pageSize }: ShownPage,
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
