import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { MAX_REPEATED_REQUESTS } from './cursor-walk.ts';
import { incomplete, ONLY_REPEATS, RepeatGuard, type WalkedPage } from './repeat-guard.ts';
import { Totals } from './walk-totals.ts';

/**
 * Walks pages by their numbers, from `first` to `last` or to the end of the list. The service's
 * links are ignored: they drop parameters, and the last page links to itself (service.md, P4, P9,
 * P12). A page with fewer records than the service counts is requested again.
 * @throws {CliError} kind `incomplete` when the service answers with another page.
 */
export async function* walkNumbered(
  fetch: FetchPage,
  urlOf: (page: number) => URL,
  { first, last, pageSize }: { first: number; last: number; pageSize: number },
): AsyncGenerator<WalkedPage> {
  const guard = new RepeatGuard(false);
  const totals = new Totals();
  for (let number = first; number <= last; number += 1) {
    const isShort = ({ count, total }: Page) => {
      totals.add(total);
      const known = total !== undefined && (number - 1) * pageSize + count >= totals.most;
      return count < pageSize && !known;
    };
    let page = await fetch(urlOf(number));
    for (let repeat = 1; isShort(page) && repeat <= MAX_REPEATED_REQUESTS; repeat += 1) {
      page = await fetch(urlOf(number));
    }
    const walked = guard.check(page);
    if (page.count > 0 && walked.count === 0) throw incomplete(ONLY_REPEATS);
    const { page: answered } = (page.envelope['meta'] ?? {}) as { page?: unknown };
    if (typeof answered === 'number' && answered !== number && page.count > 0) {
      throw incomplete(`the service answered with page ${answered} instead of page ${number}`);
    }
    yield walked;
    // A short page is the last one, unless the service counts more records than it sent.
    const more = page.total === undefined ? page.count >= pageSize : number * pageSize < page.total;
    if (!more || page.count === 0) return;
  }
}
