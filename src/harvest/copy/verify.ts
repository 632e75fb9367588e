import { Semaphore } from '../../concurrency/semaphore.ts';
import { CliError, usageError } from '../../errors.ts';
import type { LedgerData, WindowState } from '../store/ledger-data.ts';
import { type KnownPart, readPart } from '../store/read-part.ts';
import type { Span } from '../walk/created.ts';
import { LostWay } from '../walk/cursor-walk.ts';
import { idParams, type Params, withinSpan } from '../walk/query-params.ts';
import type { WalkStep, WindowSource } from '../walk/window.ts';
import { walkWindow } from '../walk/window-walk.ts';
import type { HarvestHost } from './options.ts';
import { PageSource } from './page-source.ts';
import { bySpan, partsOf, readUpdatedDois, type UpdatedDois, WindowFinder } from './updated-dois.ts';

export interface Comparison {
  /** DOIs at the service that are not here, and DOIs here that are not at the service; sorted. */
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
  /** How many DOIs there are. */
  readonly here: number;
  readonly atService: number;
}

/** A span of creation times, and where its DOIs are. */
interface Place extends Span {
  readonly parts: readonly KnownPart[];
}

const PAGE_SIZE = 1000;
// A window whose identifiers do not add up is listed anew so many times: one lost on the way is there next time.
const ROUNDS = 5;
const START = { cursor: null, restart: null, latest: null };

/**
 * Compares the DOIs of a directory with those at the service, window by window. Memory holds the identifiers of the
 * windows at work, those of the updates since the full or compact generation, and the differences.
 * @param ledgers all of the directory.
 * @throws {CliError} kind `incomplete` when the service's lists do not add up, or a part file is not as it should be.
 */
export async function verifyHarvest(
  host: HarvestHost,
  dir: string,
  ledgers: readonly LedgerData[],
  jobs: number,
): Promise<Comparison> {
  const { params } = sameQuery(ledgers);
  const later = await readUpdatedDois(
    ledgers.flatMap((data) => data.generations.slice(1).flatMap((each) => partsOf(dir, data, each))),
    host.signal,
  );
  const places = placesOf(dir, ledgers);
  const updated = spread(places, later);
  const total = ledgers.flatMap(({ generations }) => generations[0]?.windows ?? []);
  const expected = total.reduce((sum, { records }) => sum + records, 0);

  const missing = new Set<string>();
  const surplus = new Set<string>();
  let [here, atService] = [0, 0];
  const compare = async (source: PageSource, index: number, place: Place) => {
    const ids = new Set(updated[index]);
    delete updated[index];
    for (const part of place.parts) {
      await readPart(part, (id) => void (later.has(id) || ids.add(id)), host.signal);
    }
    here += ids.size;
    const listed = await listIds(source, params, place, host.signal);
    atService += listed.size;
    for (const id of listed) if (!ids.delete(id)) missing.add(id);
    for (const id of ids) surplus.add(id);
    host.progress(atService, expected);
  };
  await eachPlace(host, places, jobs, compare);

  // What is here in another window than at the service is neither: some records do not tell when they were created.
  for (const id of missing) if (surplus.delete(id)) missing.delete(id);
  return { missing: [...missing].sort(), surplus: [...surplus].sort(), here, atService };
}

/**
 * The query of a directory.
 * @throws {CliError} kind `usage` when there is none, or more than one.
 */
export function sameQuery(ledgers: readonly LedgerData[]): LedgerData['query'] {
  const [first, ...others] = ledgers;
  if (first === undefined) throw usageError('there is no harvest', 'doi-cli dois harvest --dir <directory>');
  if (others.some(({ fingerprint }) => fingerprint !== first.fingerprint)) {
    throw usageError('the shards do not hold the same query', 'harvest one of them into another directory');
  }
  return first.query;
}

/** The windows of the full or compact generations, and what no window covers: nothing is here of that. */
function placesOf(dir: string, ledgers: readonly LedgerData[]): Place[] {
  const windows = ledgers.flatMap((data) => {
    const [base] = data.generations;
    return (base?.windows ?? []).map((window: WindowState) => ({
      from: window.from,
      to: window.to,
      parts: base === undefined ? [] : partsOf(dir, data, { ...base, windows: [window] }),
    }));
  });
  const places: Place[] = [];
  let reached: number | null = null;
  for (const window of windows.sort(bySpan)) {
    if (window.from !== reached) places.push({ from: reached, to: window.from, parts: [] });
    places.push(window);
    reached = window.to;
  }
  if (reached !== null || places.length === 0) places.push({ from: reached, to: null, parts: [] });
  return places;
}

/** The DOIs of updates for each window. */
function spread(places: readonly Place[], later: UpdatedDois): (string[] | undefined)[] {
  const finder = new WindowFinder(places);
  const updated = places.map((): string[] => []);
  for (const [id, created] of later) updated[finder.at(created)]?.push(id);
  return updated;
}

async function eachPlace(
  { service, signal, now }: HarvestHost,
  places: readonly Place[],
  jobs: number,
  compare: (source: PageSource, index: number, place: Place) => Promise<void>,
): Promise<void> {
  const queue = places.map((place, index) => ({ place, index }));
  const slots = new Semaphore(jobs);
  let failed = false;
  const job = async () => {
    for (let next = queue.shift(); next !== undefined && !failed; next = queue.shift()) {
      const source = new PageSource(service, slots, now);
      try {
        await compare(source, next.index, next.place);
      } catch (error) {
        failed = true;
        throw error;
      } finally {
        source.release();
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(jobs, places.length) }, job));
  signal.throwIfAborted();
  const first = results.find((result) => result.status === 'rejected');
  if (first !== undefined) throw first.reason;
}

/** The DOIs of a window at the service, as many as it counts. */
async function listIds(
  source: WindowSource,
  params: Params,
  { from, to }: Span,
  signal: AbortSignal,
): Promise<Set<string>> {
  const span = { from, to };
  let doubt = '';
  for (let round = 1; round <= ROUNDS; round += 1) {
    const ids = new Set<string>();
    const query = { params: idParams(params), span, clauses: [], pageSize: PAGE_SIZE };
    const before = await source.count(withinSpan(params, span));
    try {
      for await (const step of walkWindow(source, query, START, [], 0)) {
        signal.throwIfAborted();
        addIds(ids, step);
      }
    } catch (error) {
      if (!(error instanceof LostWay)) throw error;
      doubt = error.message;
      continue;
    }
    if (ids.size === before) return ids;
    const after = await source.count(withinSpan(params, span));
    // Records came or went meanwhile.
    if (ids.size >= Math.min(before, after) && ids.size <= Math.max(before, after)) return ids;
    doubt = `the service counts ${after} DOIs of a window, and lists ${ids.size}`;
  }
  throw new CliError('incomplete', doubt, { hint: 'run it again' });
}

function addIds(ids: Set<string>, step: WalkStep): void {
  if ('gap' in step) {
    // Of a record that is too much for the service its DOI may still be known.
    if (step.gap.doi !== undefined) ids.add(step.gap.doi);
    return;
  }
  const { page, fresh } = step.page;
  for (let index = 0; index < page.count; index += 1) {
    const id = page.id(index);
    if (fresh(index) && id !== undefined) ids.add(id);
  }
}
