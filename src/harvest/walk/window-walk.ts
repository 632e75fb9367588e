import type { CliError } from '../../errors.ts';
import { nextOf } from '../page/fetch-page.ts';
import { endsBefore, lastTime, type Span } from './creation-time.ts';
import { CursorWalk, type PageRequest } from './cursor-walk.ts';
import { filterCheck } from './filter-check.ts';
import { pageParams, withinSpan } from './query-params.ts';
import { RepeatGuard } from './repeat-guard.ts';
import { skipRecord } from './skip-record.ts';
import type {
  Position,
  SkippedRecord,
  WalkedStep,
  WalkState,
  WindowQuery,
  WindowSource,
} from './walk-step.ts';

/** Reading the file back finds repeats of older DOIs. */
export const REMEMBERED_DOIS = 4000;

/** A page or a gap. `asked` is the span in the page's request, which may have been cut since. */
type AskedStep = (WalkedStep & { readonly asked: Span }) | SkippedRecord;

/**
 * Walks one window by its cursor from the position of an earlier run. Where a cursor leads back
 * (service.md, P8), the walk starts over from the creation time of its latest record. The end of
 * the span may move at any time, to a time after that record.
 * @param start with the latest DOIs of that run, or all, and the number of its records.
 * @throws {CliError} kind `incomplete`, as {@link CannotResume} when starting over does not help;
 *   or `unavailable`.
 */
export async function* walkWindow(
  source: WindowSource,
  query: WindowQuery,
  start: Position & { readonly known?: readonly string[]; readonly taken?: number },
): AsyncGenerator<AskedStep> {
  const { cursor, restart, latest, known = [], taken = 0 } = start;
  const guard = new RepeatGuard(true, REMEMBERED_DOIS, known, latest);
  const check = filterCheck(query.params);
  let asked: Span = query.span;
  let { to } = asked;
  const port = {
    smallerPages: source.smallerPages,
    async fetch({ cursor, size, restart, retries }: PageRequest) {
      for (;;) {
        const span = { from: restart ?? query.span.from, to: query.span.to };
        const params = pageParams(withinSpan(query.params, span, ...query.clauses), cursor, size);
        const page = await source.fetch(params, retries);
        const url = source.url(params);
        // If the span was cut within the page, its later records belong to another window.
        const next = nextOf(page.envelope['links'], url);
        if (span.to !== query.span.to && !endsBefore(page, next, query.span)) continue;
        query.onArrival?.(lastTime(page, next ?? null));
        // Earlier totals include the later part.
        const narrowed = span.to !== to;
        to = span.to;
        asked = span;
        return { page: check(page), url, narrowed };
      }
    },
    skip: (state: WalkState, cause: CliError) => skipRecord(source, query, guard, state, cause),
  };
  const after = known.at(-1) ?? null;
  // The number of records since a start over is not saved: start over again, at the latest record.
  const state =
    restart === null
      ? { cursor, restart, after, received: taken }
      : { cursor: null, restart: Math.max(restart, latest ?? restart), after, received: 0 };
  for await (const step of new CursorWalk(port, guard, query.pageSize, state).steps()) {
    yield 'page' in step ? { ...step, asked } : step;
  }
}
