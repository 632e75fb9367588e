import { setMaxListeners } from 'node:events';
import { Semaphore } from '../../concurrency/promises.ts';
import { type Lock, withDirectoryLock } from '../../disk/lock/lock.ts';
import {
  type HarvestPaths,
  harvestPaths,
  makeFolders,
  removeLeftovers,
} from '../store/directory.ts';
import { type Ledger, readLedgers } from '../store/ledger.ts';
import type { Generation, LedgerWindow } from '../store/ledger-data.ts';
import { READERS } from '../store/read-part.ts';
import {
  addsUp,
  buildReceipt,
  type HarvestReceipts,
  isSettled,
  ONLY_FRESH,
  writeReceipt,
} from '../store/receipt.ts';
import { ALL_TIME } from '../walk/creation-time.ts';
import { FormCheck, MixedForms } from '../walk/form-check.ts';
import { Density } from '../windows/density.ts';
import { Checkpoints } from './checkpoint.ts';
import { compareCounts, comparisonLine, reopenedGeneration } from './compare.ts';
import { noteForm } from './copy-form.ts';
import { CopyWindows } from './copy-windows.ts';
import { clausesOf, type HarvestRun } from './generation.ts';
import { checkSharding, openLedger } from './open-ledger.ts';
import type { HarvestHost, RunOptions } from './options.ts';
import { PageSource } from './page-source.ts';
import { reopenWrongSum, unfinishedGenerations } from './reopen-windows.ts';
import { fetchWindow, type WindowJob } from './window-job.ts';

// Pages unpacked at once; more would only take memory.
const PAGES_IN_MEMORY = 3;
// About as much as this is fetched again after a crash.
const CHECKPOINT_MS = 1000;
// A generation whose windows do not add up is fetched again.
const GENERATION_ROUNDS = 2;

interface Run extends HarvestRun {
  readonly paths: HarvestPaths;
  readonly lock: Lock;
  readonly ledger: Ledger;
  readonly form: FormCheck;
}

/** Brings a directory up to date. After any {@link CliError}, the next run continues. */
export async function runHarvest(host: HarvestHost, options: RunOptions): Promise<HarvestReceipts> {
  const paths = harvestPaths(options.dir, options.shard);
  await checkSharding(options);
  const removeEmpty = await makeFolders(paths);
  let isBegun = false;
  const work = async (lock: Lock) => {
    isBegun = true;
    const base = { host, options, source: new PageSource(host), densities: new Map() };
    const ledger = await openLedger(base);
    const ledgers = await readLedgers(options.dir);
    await removeLeftovers(paths, ledgers, ledger.data);
    await lock.check();
    const { generations } = ledger.data;
    const worked = unfinishedGenerations(ledger.data);
    const run = { ...base, paths, lock, ledger, form: new FormCheck() };
    await inOneForm(run, async () => {
      await noteForm(run.form, paths, ledgers);
      for (const generation of worked) await finishGeneration(run, generation);
      for (let lacking = await compare(run); lacking !== undefined; lacking = await compare(run)) {
        worked.push(lacking);
        await finishGeneration(run, lacking);
      }
    });
    const receiptOf = (generation: Generation) => buildReceipt(ledger.data, generation);
    const earlier = generations.filter((generation) => !worked.includes(generation));
    return { worked: worked.map(receiptOf), earlier: earlier.map(receiptOf) };
  };
  return withDirectoryLock(host, paths.lock, work).catch(async (error: unknown) => {
    // Without the lock, the folders belong to another run; shards share some of them.
    if (isBegun && options.shard === null) await removeEmpty();
    throw error;
  });
}

/**
 * Ends a run that receives records of another form than the copy has: the reason stays in the
 * ledger.
 */
async function inOneForm({ ledger }: Run, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const latest = ledger.data.generations.at(-1);
    if (!(error instanceof MixedForms) || latest === undefined) throw error;
    latest.problems = [error.message];
    await ledger.save();
    throw error.with({ hint: ONLY_FRESH });
  }
}

/**
 * Compares a copy with the service's counts after an update. @returns a generation of the windows
 * that lack records.
 */
async function compare(run: Run): Promise<Generation | undefined> {
  const { host, paths, ledger } = run;
  const { generations } = ledger.data;
  const latest = generations.at(-1);
  if (latest === undefined || unfinishedGenerations(ledger.data).length > 0) return undefined;
  if (latest.kind !== 'update' && latest.kind !== 'reopened') return undefined;
  const compared = await compareCounts(run, ledger.data, latest);
  latest.comparison = compared.comparison;
  const isRight = compared.lacking.length === 0;
  const again = isRight ? undefined : reopenedGeneration(latest, compared, host.now());
  if (again !== undefined) generations.push(again);
  await writeReceipt(paths.receipt(latest.number), buildReceipt(ledger.data, latest));
  await ledger.save();
  host.note(comparisonLine(compared.comparison, ledger.data));
  return again;
}

async function finishGeneration(run: Run, generation: Generation): Promise<void> {
  const { host, paths, ledger } = run;
  for (let round = 1; ; round += 1) {
    await fetchAndCount(run, generation);
    generation.finishedAt = new Date(host.now()).toISOString();
    const { windows } = generation;
    if (
      round === GENERATION_ROUNDS ||
      isSettled(generation) ||
      windows.some(({ doubt }) => doubt !== undefined)
    )
      break;
    // Each window agrees with its count, but some count may have been too low.
    if (!(await reopenWrongSum(run.source, run.options.params, generation))) break;
    host.note(
      'the windows do not add up to the count of all records; fetching those again that differ',
    );
    delete generation.finishedAt;
    await ledger.save();
  }
  await writeReceipt(paths.receipt(generation.number), buildReceipt(ledger.data, generation));
  // The next run continues an incomplete generation, unless only unreadable records are missing:
  // these must not prevent updates.
  if (!isSettled(generation)) delete generation.finishedAt;
  await ledger.save();
}

async function fetchAndCount(run: Run, generation: Generation): Promise<void> {
  const { host, ledger } = run;
  const { http } = host.service;
  const retriesBefore = http.retries;
  try {
    await fetchWindows(run, generation);
  } finally {
    generation.retries += http.retries - retriesBefore;
    await ledger.save();
  }
  generation.totalAtEnd = await countAll(run, generation);
  // Failing shards count less (service.md, P18).
  if (!addsUp(generation)) generation.totalAtEnd = await countAll(run, generation);
}

/** The service's count of a generation's records: for a shard, of the records in its windows. */
async function countAll({ source, options }: HarvestRun, generation: Generation): Promise<number> {
  const { params, jobs } = options;
  const spans = coversAll(options, generation) ? [ALL_TIME] : generation.windows;
  const counts = await source.counts(params, spans, clausesOf(generation), jobs);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Whether the windows of a generation cover all time: not in a shard, nor if they are reopened. */
function coversAll({ shard }: RunOptions, { kind }: Generation): boolean {
  return shard === null && kind !== 'reopened';
}

/** Fetches the windows that are not done, `jobs` at once, with a checkpoint every second. */
async function fetchWindows(run: Run, generation: Generation): Promise<void> {
  const { host, ledger, lock } = run;
  // The first failure of a window or a checkpoint stops all windows.
  const failure = new AbortController();
  const signals = [host.signal, lock.lost, failure.signal];
  const signal = AbortSignal.any(signals);
  // Every request of every job listens to it; Node warns above ten listeners.
  setMaxListeners(0, signal);
  const windows = copyWindows(run, generation, (error) => failure.abort(error));
  const checkpoints = new Checkpoints(ledger.save);
  const timer = setInterval(
    () => void checkpoints.take().catch((error: unknown) => failure.abort(error)),
    CHECKPOINT_MS,
  );
  try {
    await windows.run(windowFetcher(run, generation, { windows, checkpoints, signal }));
    // A signal also makes windows fail: report the reason of the signal.
    for (const each of signals) each.throwIfAborted();
  } finally {
    clearInterval(timer);
    await checkpoints.take();
  }
}

function copyWindows(
  { host, options, densities, ledger }: Run,
  generation: Generation,
  fail: (error: unknown) => void,
): CopyWindows {
  const { jobs, limit, pageSize } = options;
  const { totalAtStart } = generation;
  return new CopyWindows(generation, {
    jobs,
    limit,
    pageSize,
    mayCut: coversAll(options, generation),
    density:
      densities.get(generation) ?? new Density({ total: totalAtStart, years: [], now: host.now() }),
    save: ledger.save,
    fail,
  });
}

/** Makes the function that fetches a window. All windows share its limits and count of records. */
function windowFetcher(
  { host, source: ahead, options: { params, pageSize }, paths, ledger, form }: Run,
  generation: Generation,
  work: Pick<WindowJob, 'checkpoints' | 'signal'> & { readonly windows: CopyWindows },
): (window: LedgerWindow) => Promise<void> {
  const { gzip } = ledger.data;
  const pages = new Semaphore(PAGES_IN_MEMORY);
  const readers = new Semaphore(READERS);
  const query = { params, clauses: clausesOf(generation), pageSize };
  const shared = { ...work, query, gzip, readers, form, save: ledger.save, note: host.note };
  let records = generation.windows.reduce((sum, window) => sum + window.records, 0);
  return async (window) => {
    const onTime = (ms: number) => work.windows.onAnswer(ms);
    const source = new PageSource(host, pages, work.signal, ahead, onTime);
    const onRecords = (count: number) => {
      // The page is written: free its memory before the window's file is synced.
      source.release();
      records += count;
      host.progress(records, generation.totalAtStart);
    };
    const path = paths.part(generation.number, window.index, gzip);
    const job = { ...shared, source, path, onRecords };
    await fetchWindow(job, window).finally(() => source.release());
  };
}
