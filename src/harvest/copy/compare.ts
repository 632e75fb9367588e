import { forEachLimited } from '../../concurrency/promises.ts';
import { counted, number } from '../../text/words.ts';
import { CurrentRecords, partsOf } from '../store/current-records.ts';
import type { Comparison, Generation, LedgerData, LedgerWindow } from '../store/ledger-data.ts';
import { READERS, readPart } from '../store/read-part.ts';
import { bySpan, type Span, spanFinder } from '../walk/creation-time.ts';
import { recordsInGaps } from '../walk/gap.ts';
import type { CountedSpan } from '../windows/plan-windows.ts';
import { clausesOf, type HarvestRun, newWindow, sinceOf } from './generation.ts';

// A group of windows with another count is counted again in this many parts.
const PARTS = 8;

/** A window of the first generation, and the number of DOIs that the whole copy has in it. */
interface CopiedWindow {
  readonly window: LedgerWindow;
  readonly here: number;
}

interface Compared {
  readonly comparison: Comparison;
  /** The windows that lack DOIs, with the service's counts. */
  readonly lacking: readonly (CountedSpan & { readonly index: number })[];
}

type Counts = (spans: readonly Span[], clauses?: readonly string[]) => Promise<number[]>;

/**
 * Compares the number of DOIs of a copy with the service's count and, where they differ, the
 * numbers of its windows. This finds records that the service indexed late (service.md, P15).
 * @param latest the update, or the windows that were fetched again after it, whose differences are
 *   surplus.
 */
export async function compareCounts(
  { host, options, source }: HarvestRun,
  data: LedgerData,
  latest: Generation,
): Promise<Compared> {
  const counts: Counts = (spans, clauses = []) =>
    source.counts(options.params, spans, clauses, options.jobs);
  const windows = await copiedWindows(options.dir, data, host.signal);
  // The windows of a shard are not next to each other.
  let groups = data.shard === null ? [windows] : windows.map((window) => [window]);
  let atService: number | undefined;
  const differing: CopiedWindow[] = [];
  while (groups.length > 0) {
    const counted = await counts(groups.map(spanOf));
    atService ??= sum(counted);
    const wrong = groups.filter((group, index) => counted[index] !== expectedIn(group));
    differing.push(...wrong.flatMap((group) => (group.length === 1 ? group : [])));
    groups = wrong.flatMap((group) => (group.length === 1 ? [] : partsOfGroup(group)));
  }
  const { lacking, changed } = await judge(differing, latest, counts);
  const here = sum(windows.map((window) => window.here));
  return {
    comparison: { here, atService: atService ?? 0, reopened: lacking.length, changed },
    lacking,
  };
}

/** A generation that fetches windows again, whatever the time of update of their records. */
export function reopenedGeneration(
  latest: Generation,
  { lacking }: Compared,
  now: number,
): Generation {
  return {
    number: latest.number + 1,
    kind: 'reopened',
    startedAt: new Date(now).toISOString(),
    asOf: latest.startedAt,
    totalAtStart: sum(lacking.map(({ count }) => count)),
    retries: 0,
    problems: [],
    windows: lacking.map((window) => newWindow(window.index, window)),
  };
}

/** The result of a comparison, in one line. */
export function comparisonLine(
  { here, atService, reopened, changed }: Comparison,
  { shard }: Pick<LedgerData, 'shard'>,
): string {
  const copy = shard === null ? 'this copy' : 'this shard';
  const counts = `the service counts ${counted(atService, 'DOI')}`;
  if (reopened > 0)
    return `${counts}, and ${copy} lacks some: fetching ${counted(reopened, 'window')} again`;
  if (here === atService) return `${counts}, and so does ${copy}`;
  const differ = `${counts}, and ${copy} ${number(here)}`;
  return changed > 0
    ? `${differ}: ${number(changed)} changed during this run; the next run fetches them`
    : `${differ}: nothing is missing; verify lists the extra DOIs`;
}

async function copiedWindows(
  dir: string,
  data: LedgerData,
  signal: AbortSignal,
): Promise<CopiedWindow[]> {
  const windows = (data.generations[0]?.windows ?? []).toSorted(bySpan);
  const windowOf = spanFinder(windows);
  const here = windows.map(
    ({ unique, records, gaps }) => (unique ?? records) + recordsInGaps(gaps),
  );
  const add = (created: number, dois: number) => {
    const index = windowOf(created);
    here[index] = (here[index] ?? 0) + dois;
  };
  const parts = partsOf(dir, [data]);
  const current = await CurrentRecords.read(parts, signal, true);
  const touched = new Set<LedgerWindow | undefined>();
  let isUndated = false;
  for (const created of current.times()) {
    add(created, 1);
    touched.add(windows[windowOf(created)]);
    isUndated ||= Number.isNaN(created);
  }
  // Without a creation time, a record may be in any window.
  const toRead = parts.filter(
    ({ isUpdate, window }) => !isUpdate && (isUndated || touched.has(window)),
  );
  await forEachLimited(toRead, READERS, async (part) => {
    for await (const { doi } of readPart(part, signal)) {
      const created = current.timeOf(doi);
      if (created !== undefined) add(created, -1);
    }
  });
  return windows.map((window, index) => ({ window, here: here[index] ?? 0 }));
}

/** Finds the windows that lack DOIs, and notes the surplus of the others. */
async function judge(differing: readonly CopiedWindow[], latest: Generation, counts: Counts) {
  const isReopened = latest.kind === 'reopened';
  const fetched = new Set(isReopened ? latest.windows.map(({ index }) => index) : []);
  const spans = differing.map(({ window }) => window);
  // Failing shards count less (service.md, P18).
  const first = await counts(spans);
  const second = await counts(spans);
  const since = clausesOf({ since: sinceOf(latest, 0) });
  const changes = await counts(spans, since);
  const lacking: Compared['lacking'][number][] = [];
  let changed = 0;
  for (const [index, { window, here }] of differing.entries()) {
    const count = Math.max(first[index] ?? 0, second[index] ?? 0);
    const lacks = count - expectedIn([{ window, here }]);
    if (lacks <= 0 || fetched.has(window.index)) window.surplus = here - count;
    else if (isReopened || lacks <= (changes[index] ?? 0)) changed += lacks;
    else lacking.push({ index: window.index, from: window.from, to: window.to, count });
  }
  return { lacking, changed };
}

function expectedIn(group: readonly CopiedWindow[]): number {
  return sum(group.map(({ window, here }) => here - (window.surplus ?? 0)));
}

function spanOf(group: readonly CopiedWindow[]): Span {
  return { from: group[0]?.window.from ?? null, to: group.at(-1)?.window.to ?? null };
}

function partsOfGroup(group: readonly CopiedWindow[]): CopiedWindow[][] {
  const size = Math.ceil(group.length / PARTS);
  const parts = Math.ceil(group.length / size);
  return Array.from({ length: parts }, (_, part) => group.slice(part * size, (part + 1) * size));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
