import type { Service } from '../../api/service.ts';
import type { Params } from '../../harvest/walk/query-params.ts';
import type { JsonObject } from '../../text/json-values.ts';
import { MAX_PAGE_SIZE } from '../defaults.ts';
import { listAll, type ShownProgress, walkShown } from '../list.ts';
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
  service: Service,
  params: Params,
  now: () => number,
  progress: ShownProgress,
): Promise<{ readonly group: Group; readonly notes: readonly string[] }> {
  const counter = counterOf(COMPLETENESS);
  // Only affiliations as objects have ROR ids.
  const others = params.filter(([name]) => name !== 'affiliation');
  const query: Params = [...others, ['affiliation', 'true'], ['fields[dois]', COUNTED_FIELDS]];
  const list = listAll(service, query, {
    pageSize: MAX_PAGE_SIZE,
    jobs: 1,
    now,
  });
  const write = async (page: Iterable<Buffer>) => {
    for (const line of page) counter.add(JSON.parse(line.toString()) as JsonObject);
  };
  const { notes } = await walkShown(list, { write }, { progress });
  return { group: counter.group(), notes };
}
