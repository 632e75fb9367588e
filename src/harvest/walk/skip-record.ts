import { CURSOR, nextPageUrl } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { idParams, type Params, pageParams, withinSpan } from './query-params.ts';
import type { Position, WindowQuery, WindowSource, WindowStep } from './window.ts';

type Skip = Extract<WindowStep, { gap: unknown }>;

const DAY_MS = 86_400_000;
// How often the record's identifier is asked for: an answer may be about another one.
const LOOKS = 3;

/** Where a walk is stuck. */
interface StuckWalk extends Position {
  /** The last record before it, by its DOI. */
  readonly after: string | null;
  /** How many records the walk has had since it began, at `restart` or at the beginning of the window. */
  readonly brought: number;
  /** Whether a record has been taken before, and so is not the one. */
  isKnown(doi: string): boolean;
}

/**
 * The way past a record that cannot be had even alone. Its identifier may still be had, and with it the cursor behind
 * it; otherwise counts, which cost the service little, find the millisecond in which it was created, and the walk
 * starts over behind that.
 * @returns undefined when no record is left: what fails is the page behind the last one.
 * @throws whatever makes the service unavailable: only a service that answers otherwise makes this a gap.
 */
export async function skipRecord(
  source: WindowSource,
  query: WindowQuery,
  stuck: StuckWalk,
  cause: CliError,
): Promise<Skip | undefined> {
  const { cursor, restart, latest, after, brought } = stuck;
  const span = { ...query.span, from: restart ?? query.span.from };
  const params = withinSpan(query.params, span, ...query.clauses);
  // A service that is down fails at everything; this one only at a page.
  const total = await source.count(params);
  if (total <= brought) return undefined;
  const gap = {
    after,
    cursor: cursor ?? '1',
    ...(restart === null ? {} : { from: restart }),
    reason: cause.message,
  };

  const named = await nameOf(source, pageParams(idParams(params), gap.cursor, 1), stuck.isKnown);
  if (named !== undefined) {
    const { doi, next } = named;
    // Behind the window's last record there is nothing; the time after it ends the walk in an empty page.
    const position =
      next === null
        ? { cursor: null, restart: afterEnd(source, query), latest }
        : { cursor: next, restart, latest };
    return { gap: { ...gap, doi, records: 1 }, position };
  }

  const from = latest === null ? span.from : latest + 1;
  const count = (begin: number | null, end: number | null) =>
    source.count(withinSpan(query.params, { from: begin, to: end }, ...query.clauses));
  const later = await count(from, span.to);
  const same = total - brought - later;
  if (latest !== null && same > 0) {
    // It was created in the same millisecond as the latest record, like what may follow it there.
    return { gap: { ...gap, records: same }, position: { cursor: null, restart: latest + 1, latest } };
  }
  if (later === 0) return { gap, position: { cursor: null, restart: afterEnd(source, query), latest } };
  const end = span.to ?? source.now() + DAY_MS;
  let low = from ?? Date.UTC(2000, 0);
  let high = end;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if ((await count(from, middle)) > 0) high = middle;
    else low = middle;
  }
  const records = await count(low, high);
  return { gap: { ...gap, records }, position: { cursor: null, restart: high, latest } };
}

/** The record at a cursor, and the cursor behind it; undefined when they cannot be had either. */
async function nameOf(source: WindowSource, request: Params, isKnown: (doi: string) => boolean) {
  for (let look = 1; look <= LOOKS; look += 1) {
    try {
      const page = await source.fetch(request, 1);
      const doi = page.kind === 'list' ? page.id(0) : undefined;
      if (doi === undefined || isKnown(doi)) continue;
      const url = source.url(request);
      const next = nextPageUrl(page.envelope['links'], url)?.searchParams.get(CURSOR) ?? null;
      if (next !== url.searchParams.get(CURSOR)) return { doi, next };
    } catch (error) {
      const failed = error instanceof CliError && ['unavailable', 'incomplete'].includes(error.kind);
      if (!failed) throw error;
    }
  }
  return undefined;
}

/** A time behind all of a window's records. */
function afterEnd(source: WindowSource, { span }: WindowQuery): number {
  return span.to ?? source.now() + 10 * DAY_MS;
}
