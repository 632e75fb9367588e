import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { listAll, wantedPages } from '../../../core/list.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { selected } from '../../../harvest/walk/repeat-guard.ts';
import { WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import { Progress } from '../../../ui/progress.ts';
import { asIncomplete } from '../list/pages.ts';
import { COUNTED_FIELDS, CompletenessCounter } from './completeness.ts';

/**
 * Reads the records of a query, and counts what they have. @throws {CliError} when not all of them
 * can be read.
 */
export async function countCompleteness(
  context: Context,
  service: Service,
  params: Params,
): Promise<CompletenessCounter> {
  const counter = new CompletenessCounter();
  // ROR ids are in objects alone.
  const others = params.filter(([name]) => name !== 'affiliation');
  const query: Params = [...others, ['affiliation', 'true'], ['fields[dois]', COUNTED_FIELDS]];
  const pages = listAll(service, query, {
    pageSize: 1000,
    limit: undefined,
    jobs: 1,
    now: context.host.now,
  });
  const totals = new WalkTotals();
  const progress = await Progress.start(context, false, 'reading the records');
  let read = 0;
  try {
    for await (const { walked, most } of wantedPages(pages, totals, undefined)) {
      for (const bytes of selected(walked, most)) {
        counter.add(JSON.parse(bytes.toString()) as JsonObject);
        read += 1;
      }
      progress.update(read, walked.listTotal ?? walked.page.total);
    }
    const whole = { before: 0, asked: Number.POSITIVE_INFINITY };
    for (const note of await totals.compare(pages.count, whole)) context.messages.note(note);
  } catch (error) {
    throw asIncomplete(error, totals);
  } finally {
    progress.stop();
  }
  return counter;
}
