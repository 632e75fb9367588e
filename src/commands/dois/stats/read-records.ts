import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { listAll, listError, wholeList } from '../../../core/list.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import { Progress } from '../../../ui/progress.ts';
import { counterOf } from './counter.ts';
import { COMPLETENESS } from './dimensions.ts';
import type { Group } from './groups.ts';

/** The attributes that completeness depends on. Affiliations must be objects. */
export const COUNTED_FIELDS =
  'creators,contributors,rightsList,descriptions,relatedIdentifiers,relatedItems';

/**
 * Reads the records of a query, and counts how complete they are.
 * @throws {CliError} when not all records can be read.
 */
export async function countCompleteness(
  context: Context,
  service: Service,
  params: Params,
): Promise<Group> {
  const counter = counterOf(COMPLETENESS);
  // Only affiliations as objects have ROR ids.
  const others = params.filter(([name]) => name !== 'affiliation');
  const query: Params = [...others, ['affiliation', 'true'], ['fields[dois]', COUNTED_FIELDS]];
  const list = listAll(service, query, {
    pageSize: 1000,
    limit: undefined,
    jobs: 1,
    now: context.host.now,
  });
  const totals = new WalkTotals();
  const progress = await Progress.start(context, false, 'reading the records');
  const { note: onNote } = context.messages;
  try {
    for await (const page of wholeList(list, { totals, onNote })) {
      for (const line of page) counter.add(JSON.parse(line.toString()) as JsonObject);
      progress.update(page.records, page.total);
    }
  } catch (error) {
    throw listError(error, totals);
  } finally {
    progress.stop();
  }
  return counter.group();
}
