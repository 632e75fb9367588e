import { forEachLimited, Semaphore } from '../../concurrency/promises.ts';
import { CliError, usageError } from '../../errors.ts';
import { type CopyPart, CurrentRecords, partsOf } from '../store/current-records.ts';
import type { LedgerData } from '../store/ledger-data.ts';
import { doiKey, READERS } from '../store/read-part.ts';
import { bySpan, createdOf, type Span, spanFinder } from '../walk/creation-time.ts';
import { CannotResume } from '../walk/cursor-walk.ts';
import { idParams, type Params, withinSpan } from '../walk/query-params.ts';
import type { WalkStep, WindowSource } from '../walk/walk-step.ts';
import { walkWindow } from '../walk/window-walk.ts';
import type { HarvestHost } from './options.ts';
import { PageSource } from './page-source.ts';

export interface Verification {
  /** DOIs at the service that the directory lacks, sorted. */
  readonly missing: readonly string[];
  /** DOIs in the directory that the service lacks, sorted. */
  readonly surplus: readonly string[];
  readonly here: number;
  readonly atService: number;
}

// The largest page of the service (service.md, P1).
const IDS_PER_PAGE = 1000;
// A window whose DOIs do not add up is listed again: a lost DOI is there the next time.
const LISTING_ROUNDS = 5;
const START = { cursor: null, restart: null, latest: null };

/**
 * Compares the DOIs of a directory with the service's, window by window, `jobs` windows at once.
 * @throws {CliError} kind `incomplete` when the service's lists do not add up, or a part file is
 *   damaged.
 */
export async function verifyHarvest(
  host: HarvestHost,
  dir: string,
  ledgers: readonly LedgerData[],
  jobs: number,
): Promise<Verification> {
  const { signal } = host;
  const { params } = sameQuery(ledgers);
  const windows = ledgers.flatMap(({ generations }) => generations[0]?.windows ?? []);
  const expected = windows.reduce((sum, { records }) => sum + records, 0);
  const parts = partsOf(dir, ledgers);
  const current = await CurrentRecords.read(parts, signal);
  const spans = allSpans(windows);
  const spanOf = spanFinder(spans);
  const updatedIn: (string[] | undefined)[] = spans.map(() => []);
  const updates = parts.filter(({ isUpdate }) => isUpdate);
  for await (const { doi, line } of current.records(updates, signal))
    updatedIn[spanOf(createdOf(line))]?.push(doi);
  const base = new Map<Span, CopyPart>();
  for (const part of parts) if (!part.isUpdate) base.set(part.window, part);

  const missing = new Set<string>();
  const surplus = new Set<string>();
  let here = 0;
  let atService = 0;
  const pages = new Semaphore(jobs);
  const readers = new Semaphore(READERS);
  await forEachLimited(spans.entries(), jobs, async ([index, span]) => {
    const source = new PageSource(host, pages);
    // A walk takes a minute and reading its part a second: only DOIs of the service wait in memory.
    const listed = await listIds(source, params, span, signal).finally(() => source.release());
    const onHere = (id: string) => void (listed.has(id) ? listed.set(id, true) : surplus.add(id));
    for (const id of updatedIn[index] ?? []) onHere(id);
    delete updatedIn[index];
    const part = base.get(span);
    await readers.run(async () => {
      for await (const { doi } of current.records(part ? [part] : [], signal)) onHere(doi);
    });
    atService += listed.size;
    for (const [id, isHere] of listed) {
      if (isHere) here += 1;
      else missing.add(id);
    }
    host.progress(atService, expected);
  }).finally(() => signal.throwIfAborted());
  here += surplus.size;

  // A record without a creation time may be in another window here: this is no difference.
  for (const id of missing) if (surplus.delete(id)) missing.delete(id);
  return { missing: [...missing].sort(), surplus: [...surplus].sort(), here, atService };
}

/** The query of a directory. @throws {CliError} kind `usage` if there is no query, or several. */
export function sameQuery(ledgers: readonly LedgerData[]): LedgerData['query'] {
  const [first, ...others] = ledgers;
  if (first === undefined)
    throw usageError('there is no harvest', 'doi-cli dois harvest --dir <directory>');
  if (others.some(({ fingerprint }) => fingerprint !== first.fingerprint)) {
    throw usageError(
      'the shards do not hold the same query',
      'harvest one of them into another directory',
    );
  }
  return first.query;
}

/** These windows in the order of time, and the spans between them, which have no part files. */
function allSpans(windows: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  let reached: number | null = null;
  for (const window of windows.toSorted(bySpan)) {
    if (window.from !== reached) spans.push({ from: reached, to: window.from });
    spans.push(window);
    reached = window.to;
  }
  if (reached !== null || spans.length === 0) spans.push({ from: reached, to: null });
  return spans;
}

/**
 * The service's DOIs of a span; none is marked as in the directory.
 * @throws {CliError} kind `incomplete` when they do not add up.
 */
async function listIds(
  source: WindowSource,
  params: Params,
  span: Span,
  signal: AbortSignal,
): Promise<Map<string, boolean>> {
  const query = { params: idParams(params), span, clauses: [], pageSize: IDS_PER_PAGE };
  let doubt = '';
  for (let round = 1; round <= LISTING_ROUNDS; round += 1) {
    const ids = new Map<string, boolean>();
    const before = await source.count(withinSpan(params, span));
    try {
      for await (const step of walkWindow(source, query, START)) {
        signal.throwIfAborted();
        addIds(ids, step);
      }
    } catch (error) {
      if (!(error instanceof CannotResume)) throw error;
      doubt = error.message;
      continue;
    }
    if (ids.size === before) return ids;
    const after = await source.count(withinSpan(params, span));
    // Records were added or hidden between the two counts.
    if (ids.size >= Math.min(before, after) && ids.size <= Math.max(before, after)) return ids;
    doubt = `the service counts ${after} DOIs of a window, and lists ${ids.size}`;
  }
  throw new CliError('incomplete', doubt, { hint: 'run it again' });
}

function addIds(ids: Map<string, boolean>, step: WalkStep): void {
  if ('gap' in step) {
    // The service may know the DOI of a record that it cannot send.
    if (step.gap.doi !== undefined) ids.set(doiKey(step.gap.doi), false);
    return;
  }
  const { page, fresh } = step.page;
  for (let index = 0; index < page.count; index += 1) {
    const id = page.id(index);
    if (fresh(index) && id !== undefined) ids.set(doiKey(id), false);
  }
}
