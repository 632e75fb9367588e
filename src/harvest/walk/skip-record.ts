import { CURSOR, nextCursor } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { idParams, type Params, pageParams, withinSpan } from './query-params.ts';
import type { RepeatGuard } from './repeat-guard.ts';
import type { SkippedRecord, WalkState, WindowQuery, WindowSource } from './walk-step.ts';

const DAY_MS = 86_400_000;
// How often the record's identifier is requested: an answer may contain another record.
const ATTEMPTS = 3;

/**
 * Skips a record that cannot be fetched even alone: by the cursor after its identifier, or else by
 * counts, which find the millisecond of its creation, after which the walk starts over.
 * @returns undefined when no record is left.
 * @throws {CliError} when counting fails too: then the service is down.
 */
export async function skipRecord(
  source: WindowSource,
  query: WindowQuery,
  guard: RepeatGuard,
  { cursor: failing, restart, after, received }: WalkState,
  cause: CliError,
): Promise<SkippedRecord | undefined> {
  const span = { ...query.span, from: restart ?? query.span.from };
  const params = withinSpan(query.params, span, ...query.clauses);
  const total = await source.count(params);
  if (total <= received) return undefined;
  const cursor = failing ?? '1';
  const gap = {
    after,
    cursor,
    ...(restart === null ? {} : { from: restart }),
    reason: cause.message,
  };
  const { latest } = guard;
  const startAt = (time: number) => ({ cursor: null, restart: time, latest });
  // No record is as late as this: there the walk ends with an empty page.
  const end = span.to ?? source.now() + 10 * DAY_MS;

  const record = await findIdentifier(source, pageParams(idParams(params), cursor, 1), guard);
  if (record !== undefined) {
    const { doi, next } = record;
    const position = next === null ? startAt(end) : { cursor: next, restart, latest };
    return { gap: { ...gap, doi, records: 1 }, position };
  }

  const from = latest === null ? span.from : latest + 1;
  const later = await countWithin(source, query, from, span.to);
  const simultaneous = total - received - later;
  if (latest !== null && simultaneous > 0) {
    // The record has the same millisecond as the latest one, and so may records after it.
    return { gap: { ...gap, records: simultaneous }, position: startAt(latest + 1) };
  }
  if (later === 0) return { gap, position: startAt(end) };
  const next = await afterFirst(source, query, from);
  const records = await countWithin(source, query, next - 1, next);
  return { gap: { ...gap, records }, position: startAt(next) };
}

/** The end of the first millisecond since `from` with records. */
async function afterFirst(
  source: WindowSource,
  query: WindowQuery,
  from: number | null,
): Promise<number> {
  let low = from ?? Date.UTC(2000, 0);
  let high = query.span.to ?? source.now() + DAY_MS;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if ((await countWithin(source, query, from, middle)) > 0) high = middle;
    else low = middle;
  }
  return high;
}

function countWithin(
  source: WindowSource,
  query: WindowQuery,
  from: number | null,
  to: number | null,
) {
  return source.count(withinSpan(query.params, { from, to }, ...query.clauses));
}

async function findIdentifier(source: WindowSource, request: Params, guard: RepeatGuard) {
  const url = source.url(request);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      const page = await source.fetch(request, 1);
      const doi = page.kind === 'list' ? page.id(0) : undefined;
      if (doi === undefined || guard.has(doi)) continue;
      const next = nextCursor(page.envelope['links'], url);
      if (next !== url.searchParams.get(CURSOR)) return { doi, next };
    } catch (error) {
      if (!(error instanceof CliError) || !['unavailable', 'incomplete'].includes(error.kind))
        throw error;
    }
  }
  return undefined;
}
