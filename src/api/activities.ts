import { CliError } from '../errors.ts';
import { isObject, type JsonObject } from '../text/json-values.ts';
import { doiPath } from './dois.ts';
import { BadBody, readJson } from './http/body.ts';
import type { Http } from './http/http.ts';
import { totalIn } from './pagination.ts';

/** One change of a DOI record, as the service sends it (service.md, O7). */
export interface Activity {
  readonly id: string;
  readonly attributes: {
    readonly action?: string;
    readonly version?: number;
    /** New values by attribute; after an update, pairs of the old and the new value. */
    readonly changes?: JsonObject | null;
    readonly 'prov:generatedAtTime'?: string | null;
    /** The account as a URL. */
    readonly 'prov:wasAttributedTo'?: string | null;
  };
}

// A change contains the old and new values, which may be a whole record.
const PAGE_SIZE = 100;
// Page numbers reach no further (service.md, P3).
const MAX_ACTIVITIES = 10_000;

/**
 * Reads the changes of a DOI, oldest first, by page numbers: the service's links lead to the
 * changes of all DOIs (service.md, O7). For an unknown DOI the list is empty.
 * @param http without credentials: the service ignores them here.
 * @returns at most 10,000 changes, and the service's count of them.
 * @throws {CliError} kind `incomplete` when the service sends a change twice, or fewer than it
 *   counts.
 */
export async function listActivities(
  http: Http,
  doi: string,
): Promise<{ readonly activities: readonly Activity[]; readonly total: number }> {
  // The index has DOIs in lower case only.
  const path = `${doiPath(doi.toLowerCase())}/activities`;
  const activities: Activity[] = [];
  const seen = new Set<string>();
  for (let number = 1; ; number += 1) {
    const params = {
      sort: 'created',
      // In the form of the record itself, as reads have it (service.md, F9).
      publisher: 'true',
      'page[size]': String(PAGE_SIZE),
      'page[number]': String(number),
    };
    const { total, added } = await http.call({
      method: 'GET',
      url: http.url(path, Object.entries(params)),
      read: async (response) => pageIn(await readJson(response)),
    });
    const names = added.map(({ id, attributes: { version } }) => `${version} ${id}`);
    if (names.some((name) => seen.has(name))) {
      throw new CliError('incomplete', `the service sent a change of ${doi} on two pages`, {
        hint: 'run it again',
      });
    }
    for (const name of names) seen.add(name);
    activities.push(...added);
    if (activities.length >= Math.min(total, MAX_ACTIVITIES)) return { activities, total };
    if (added.length === 0) {
      const count = activities.length;
      const message = `the service counts ${total} changes of ${doi}, but gave only ${count}`;
      throw new CliError('incomplete', message, { hint: 'run it again' });
    }
  }
}

function pageIn({ data, meta }: JsonObject) {
  const total = totalIn(meta);
  const valid = Array.isArray(data) && data.every(isActivity);
  if (!valid || total === undefined) throw new BadBody('the answer is not a list of changes');
  return { added: data, total };
}

function isActivity(value: unknown): value is Activity {
  return isObject(value) && typeof value['id'] === 'string' && isObject(value['attributes']);
}
