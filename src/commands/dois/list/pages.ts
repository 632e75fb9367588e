import { lastReachablePage } from '../../../api/pagination.ts';
import type { Context } from '../../../cli/context.ts';
import { type DoiList, type PageRange, wantedPages } from '../../../core/list.ts';
import { CliError, ClosedPipe, isStop, toCliError } from '../../../errors.ts';
import type { RecordWriter } from '../../../formats/output/writer.ts';
import { RUN_AGAIN, WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import { counted, formatDuration, number, plural } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';

const CONTINUE_HINT =
  'doi-cli dois harvest --dir <directory> with the same filters can be stopped and continued';

interface Listing {
  readonly context: Context;
  readonly list: DoiList;
  readonly writer: RecordWriter;
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
    await writePages(listing, totals, () => {
      const { records, lastTotal } = totals;
      progress.update(
        records,
        limit === undefined ? lastTotal : Math.min(limit, lastTotal ?? limit),
      );
    });
    progress.stop();
    const cut = limit !== undefined && totals.records >= limit;
    const notes = await totals.compare(listing.list.count, {
      before: 0,
      asked: limit ?? Number.POSITIVE_INFINITY,
    });
    const { records, lastTotal = records } = totals;
    const count = cut
      ? `${recordsOf(totals)} ${plural(lastTotal, 'DOI')}`
      : counted(records, 'DOI');
    context.messages.note([`${count} in ${formatDuration(progress.elapsed)}`, ...notes].join('; '));
    if (lastTotal === 0) await listing.whenEmpty();
  } catch (error) {
    progress.stop();
    throw asIncomplete(error, totals);
  }
}

/** Prints pages by their numbers, and says how many of all records they are. */
export async function printNumbered(
  listing: Listing,
  { first, last, pageSize }: Pick<PageRange, 'first' | 'last' | 'pageSize'>,
): Promise<void> {
  const { context, limit } = listing;
  const totals = new WalkTotals();
  await writePages(listing, totals).catch((error: unknown) => {
    throw isStop(error) ? asIncomplete(error, totals, last > first) : error;
  });
  const asked = pageSize === 0 ? 0 : (limit ?? pageSize);
  const notes = await totals.compare(listing.list.count, { before: (first - 1) * pageSize, asked });
  const { records, lastTotal } = totals;
  if (records === 0 && pageSize > 0)
    notes.unshift(lastTotal === 0 ? 'no DOIs match' : 'no DOIs on this page');
  for (const note of notes) context.messages.note(note);
  if (lastTotal === 0) await listing.whenEmpty();
  if (lastTotal === undefined || (records >= lastTotal && first === 1)) return;
  context.messages.note(pageFooter({ records, total: lastTotal, first, pageSize }, limit));
}

/**
 * Writes pages until their end or the limit. The output is well-formed even if an error ends it.
 */
async function writePages(
  { list, writer, limit }: Listing,
  totals: WalkTotals,
  onPage?: () => void,
): Promise<void> {
  try {
    for await (const { walked, most } of wantedPages(list, totals, limit, onPage)) {
      await writer.page(walked, most);
    }
  } catch (error) {
    const writable = !(
      error instanceof ClosedPipe ||
      (error instanceof CliError && error.kind === 'output')
    );
    // A JSON array that stops in the middle still needs its closing bracket.
    if (writable && totals.records > 0) await writer.end();
    throw error;
  }
  await writer.end();
}

/**
 * An error after the first record leaves the list incomplete. @param isLong whether it is worth a
 * harvest.
 */
export function asIncomplete(error: unknown, totals: WalkTotals, isLong = true): unknown {
  if (isStop(error)) {
    const some = totals.records === 0 ? 'no DOIs' : `${recordsOf(totals)} DOIs`;
    return error.with({
      message: `${error.message} after ${some}`,
      hint: error.hint ?? (isLong ? CONTINUE_HINT : undefined),
    });
  }
  const { kind, message, hint = RUN_AGAIN, status } = toCliError(error);
  const isKept = error instanceof ClosedPipe || kind === 'credentials' || kind === 'output';
  if (isKept || totals.records === 0) return error;
  return new CliError(
    'incomplete',
    `the harvest stopped after ${recordsOf(totals)} DOIs: ${message}`,
    {
      hint,
      status,
      cause: error,
    },
  );
}

/** `45 of 1,000`, or `45` if the service gave no total. */
function recordsOf({ records, lastTotal }: WalkTotals): string {
  return lastTotal === undefined ? number(records) : `${number(records)} of ${number(lastTotal)}`;
}

type ListedPage = Readonly<Record<'records' | 'total' | 'first' | 'pageSize', number>>;

/**
 * What a list of pages leaves out, and how to see it: `25 of 8,600 DOIs, page 1 of 344: --page 2
 * shows more, …`.
 */
export function pageFooter(
  { records, total, first, pageSize }: ListedPage,
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
