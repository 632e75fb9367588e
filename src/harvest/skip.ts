import { CURSOR, nextPageUrl } from '../api/pagination.ts';
import type { CliError } from '../errors.ts';
import { idParams, narrowed, pageParams } from './position.ts';
import type { Position, WindowQuery, WindowSource, WindowStep } from './window-walk.ts';

type Skip = Extract<WindowStep, { gap: unknown }>;

const DAY_MS = 86_400_000;

/**
 * The way past a record that cannot be had even alone. Its identifier may still be had, and with it the cursor behind
 * it; otherwise counts, which cost the service little, find the millisecond in which it was created, and the walk
 * starts over behind that.
 * @throws whatever makes the service unavailable: only a service that answers otherwise makes this a gap.
 */
export async function skipRecord(
  source: WindowSource,
  query: WindowQuery,
  at: Position,
  cause: CliError,
): Promise<Skip> {
  const span = { ...query.span, from: at.restart ?? query.span.from };
  const params = narrowed(query.params, span, ...query.clauses);
  // A service that is down fails at everything; this one only at a page.
  await source.count(params);
  const gap = { after: null, cursor: at.cursor ?? '1', reason: cause.message };

  const request = pageParams(idParams(params), gap.cursor, 1);
  const page = await source.fetch(request, 1).catch(() => undefined);
  const doi = page?.kind === 'list' ? page.id(0) : undefined;
  if (page !== undefined && doi !== undefined) {
    const next = nextPageUrl(page.envelope['links'], source.url(request))?.searchParams.get(CURSOR) ?? null;
    // Behind the window's last record there is nothing; the time after it ends the walk in an empty page.
    const position =
      next === null ? { ...at, cursor: null, restart: beyond(source, query) } : { ...at, cursor: next };
    return { gap: { ...gap, doi, records: 1 }, position };
  }

  const from = at.latest === null ? span.from : at.latest + 1;
  const count = (begin: number | null, end: number | null) =>
    source.count(narrowed(query.params, { from: begin, to: end }, ...query.clauses));
  const end = span.to ?? source.now() + DAY_MS;
  if ((await count(from, span.to)) === 0) {
    // Nothing is left later than the latest record: the one that fails was created in the same millisecond.
    return { gap, position: { cursor: null, restart: beyond(source, query), latest: at.latest } };
  }
  let low = from ?? Date.UTC(2000, 0);
  let high = end;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if ((await count(from, middle)) > 0) high = middle;
    else low = middle;
  }
  const records = await count(low, high);
  return { gap: { ...gap, records }, position: { cursor: null, restart: high, latest: at.latest } };
}

/** A time behind all of a window's records. */
function beyond(source: WindowSource, { span }: WindowQuery): number {
  return span.to ?? source.now() + 10 * DAY_MS;
}
