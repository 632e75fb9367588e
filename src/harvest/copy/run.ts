import { setMaxListeners } from 'node:events';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Lock } from '../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../disk/lock/with-lock.ts';
import { keepHeapSmall } from '../page/fetch-page.ts';
import {
  type HarvestPaths,
  harvestPaths,
  ledgerFiles,
  makeFolders,
  orphans,
  removeParts,
  removeUnfinished,
} from '../store/directory.ts';
import { Ledger } from '../store/ledger.ts';
import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import { buildReceipt, isSettled, type Receipt, writeReceipt } from '../store/receipt.ts';
import { withinSpan } from '../walk/query-params.ts';
import { Checkpoints } from './checkpoint.ts';
import { clausesOf } from './generation.ts';
import { checkSharding, openLedger } from './open.ts';
import type { HarvestHost, HarvestOptions } from './options.ts';
import { PageSource } from './page-source.ts';
import { unfinished } from './reopen.ts';
import { fetchWindow } from './window-job.ts';

/** What a directory holds after a run. */
export interface Outcome {
  /** Of the generations that the run brought to their end, one as a rule. */
  readonly receipts: readonly Receipt[];
  /** Of the generations that had come to their end before. */
  readonly others: readonly Receipt[];
}

const WHOLE: { readonly from: null; readonly to: null } = { from: null, to: null };
// Pages that are unpacked at once; more would only take memory.
const PAGES_IN_MEMORY = 3;
// Part files that are read back at once, which keeps one thread busy.
const READERS = 2;
const CHECKPOINT_MS = 1000;

/**
 * Brings a directory up to date: continues what was begun, or fetches what changed since it was complete.
 * @returns the receipts, which say whether everything is there.
 * @throws {CliError} whatever stops it; the directory can be continued then.
 */
export async function runHarvest(host: HarvestHost, options: HarvestOptions): Promise<Outcome> {
  keepHeapSmall();
  const paths = harvestPaths(options.dir, options.shard);
  await checkSharding(options);
  await makeFolders(paths);
  return withDirectoryLock(host, paths.lock, (lock) => harvest(host, options, paths, lock));
}

async function harvest(
  host: HarvestHost,
  options: HarvestOptions,
  paths: HarvestPaths,
  lock: Lock,
): Promise<Outcome> {
  const source = new PageSource(host.service, new Semaphore(1), host.now);
  const ledger = await openLedger(host, options, source);
  await removeUnfinished(paths);
  await removeParts(paths, await leftovers(paths, options, ledger.data));
  await lock.confirm();
  const worked = unfinished(ledger.data);
  for (const generation of worked) {
    await bringToEnd({ host, options, paths, lock, source, ledger }, generation);
  }
  const receiptOf = (generation: Generation) => buildReceipt(ledger.data, generation);
  const others = ledger.data.generations.filter((generation) => !worked.includes(generation));
  return { receipts: worked.map(receiptOf), others: others.map(receiptOf) };
}

interface Run {
  readonly host: HarvestHost;
  readonly options: HarvestOptions;
  readonly paths: HarvestPaths;
  readonly lock: Lock;
  readonly source: PageSource;
  readonly ledger: Ledger;
}

async function bringToEnd(
  { host, options, paths, lock, source, ledger }: Run,
  generation: Generation,
): Promise<void> {
  const { service } = host;
  const retriesBefore = service.http.retries;
  try {
    await fetchWindows(host, options, ledger, generation, lock);
  } finally {
    generation.retries += service.http.retries - retriesBefore;
    await ledger.save();
  }
  generation.totalAtEnd = await totalNow(source, options, generation);
  generation.finishedAt = new Date(host.now()).toISOString();
  await writeReceipt(paths.receipt(generation.number), buildReceipt(ledger.data, generation));
  // What is incomplete is not finished: the next run looks again. Records that cannot be had must not keep changes out.
  if (!isSettled(generation)) delete generation.finishedAt;
  await ledger.save();
}

/** Part files of no generation: a shard takes away those of its own windows only, for others may just have been made. */
async function leftovers(paths: HarvestPaths, { dir, shard }: HarvestOptions, { generations }: LedgerData) {
  const ledgers = await Promise.all((await ledgerFiles(dir)).map((path) => Ledger.open(path)));
  const parts = await orphans(
    paths,
    ledgers.flatMap((ledger) => ledger?.data ?? []),
  );
  const own = new Set(generations.flatMap(({ windows }) => windows.map(({ index }) => index)));
  return shard === null ? parts : parts.filter(({ window }) => own.has(window));
}

/** The service's count of all that the generation is to hold: for a shard, of its windows. */
async function totalNow(
  source: PageSource,
  { params, shard, jobs }: HarvestOptions,
  generation: Generation,
): Promise<number> {
  const spans = shard === null ? [WHOLE] : generation.windows;
  const counts = await source.counts(
    spans.map((span) => withinSpan(params, span, ...clausesOf(generation))),
    jobs,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function fetchWindows(
  host: HarvestHost,
  options: HarvestOptions,
  ledger: Ledger,
  generation: Generation,
  lock: Lock,
): Promise<void> {
  const { service } = host;
  const paths = harvestPaths(options.dir, options.shard);
  const slots = new Semaphore(PAGES_IN_MEMORY);
  const readers = new Semaphore(READERS);
  // One job's failure stops the others, in good order.
  const stop = new AbortController();
  const signal = AbortSignal.any([host.signal, stop.signal, lock.lost]);
  // Each request of each job listens to it; Node takes more than ten for a leak.
  setMaxListeners(0, signal);
  const checkpoints = new Checkpoints(() => ledger.save());
  const timer = setInterval(
    () => void checkpoints.take().catch((error: unknown) => stop.abort(error)),
    CHECKPOINT_MS,
  );
  let records = generation.windows.reduce((sum, window) => sum + window.records, 0);
  // The most work first: what the others wait for at the end is then small.
  const left = ({ count, records }: WindowState) => count - records;
  const queue = generation.windows.filter(({ done }) => !done).sort((a, b) => left(b) - left(a));
  const job = async () => {
    for (let window = queue.shift(); window !== undefined; window = queue.shift()) {
      const source = new PageSource(service, slots, host.now, signal);
      try {
        await fetchWindow(
          {
            source,
            query: { params: options.params, clauses: clausesOf(generation), pageSize: options.pageSize },
            gzip: ledger.data.gzip,
            checkpoints,
            readers,
            signal,
            path: ({ index }) => paths.part(generation.number, index, ledger.data.gzip),
            save: () => ledger.save(),
            onRecords: (count) => {
              // The page is written. Its room must not stay taken while the end of a window is made safe.
              source.release();
              records += count;
              host.progress(records, generation.totalAtStart);
            },
            note: host.note,
          },
          window,
        );
      } finally {
        source.release();
      }
    }
  };
  try {
    const results = await Promise.allSettled(
      Array.from({ length: Math.min(options.jobs, queue.length) }, () =>
        job().catch((error: unknown) => {
          stop.abort(error);
          throw error;
        }),
      ),
    );
    host.signal.throwIfAborted();
    lock.lost.throwIfAborted();
    stop.signal.throwIfAborted();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  } finally {
    clearInterval(timer);
    await checkpoints.take();
  }
}
