import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Service } from '../context.ts';
import { usageError } from '../errors.ts';
import { Checkpoints } from './checkpoint.ts';
import { harvestPaths, makeFolders, orphans, removeParts, removeUnfinished } from './disk/directory.ts';
import { Ledger } from './disk/ledger.ts';
import { fingerprintOf, type Generation, type HarvestQuery, type LedgerData } from './disk/ledger-data.ts';
import { acquireLock, type Lock } from './disk/lock.ts';
import { buildReceipt, type Receipt, writeReceipt } from './disk/receipt.ts';
import { clausesOf, planGeneration, sinceOf } from './generation.ts';
import { PageSource } from './page-source.ts';
import { narrowed, type Params } from './position.ts';
import { Slots } from './slots.ts';
import { fetchWindow } from './window-job.ts';

export interface HarvestOptions {
  readonly dir: string;
  /** Filters, in the order in which they are sent. */
  readonly params: Params;
  readonly account: string | null;
  readonly pageSize: number;
  readonly jobs: number;
  /** Undefined takes what the directory has. */
  readonly gzip: boolean | undefined;
  readonly fresh: boolean;
  readonly overlapMs: number;
}

export interface HarvestHost {
  readonly service: Service;
  readonly signal: AbortSignal;
  now(): number;
  note(text: string): void;
  /** Told how many records there are in this generation so far, and how many there will be. */
  progress(records: number, total: number): void;
}

const NO_WINDOW: { readonly from: null; readonly to: null } = { from: null, to: null };
// A window is a file of some 200 MB, or a tenth of that compressed.
const MOST_RECORDS = 50_000;
// Pages that are unpacked at once; more would only take memory.
const PAGES_IN_MEMORY = 4;
const CHECKPOINT_MS = 1000;

/**
 * Brings a directory up to date: continues what was begun, or fetches what changed since it was complete.
 * @returns the receipt, which says whether everything is there.
 * @throws {CliError} whatever stops it; the directory can be continued then.
 */
export async function runHarvest(host: HarvestHost, options: HarvestOptions): Promise<Receipt> {
  const { service, signal } = host;
  const paths = harvestPaths(options.dir, null);
  await makeFolders(paths);
  const owner = { host: hostname(), pid, startedAt: new Date(host.now()).toISOString() };
  const lock = await acquireLock(paths.lock, owner, {
    signal,
    onWait: (other) =>
      host.note(`waiting to see whether process ${other.pid} on ${other.host} is still at work`),
  });
  try {
    const source = new PageSource(service, new Slots(1), host.now);
    const ledger = await openLedger(host, options, source);
    const generation = ledger.data.generations.at(-1) as Generation;
    await removeUnfinished(paths);
    await removeParts(paths, await orphans(paths, [ledger.data]));
    await lock.confirm();
    const retriesBefore = service.http.retries;
    try {
      await fetchWindows(host, options, ledger, generation, lock);
    } finally {
      generation.retries += service.http.retries - retriesBefore;
      await ledger.save();
    }
    generation.totalAtEnd = await source.count(narrowed(options.params, NO_WINDOW, ...clausesOf(generation)));
    generation.finishedAt = new Date(host.now()).toISOString();
    const receipt = buildReceipt(ledger.data, generation);
    await writeReceipt(paths.receipt(generation.number), receipt);
    // What is incomplete is not finished: the next run looks again.
    if (receipt.verdict === 'incomplete') delete generation.finishedAt;
    await ledger.save();
    return receipt;
  } finally {
    await lock.release();
  }
}

/** The ledger with the generation to work at as its last one: begun before, or planned now. */
async function openLedger(host: HarvestHost, options: HarvestOptions, source: PageSource): Promise<Ledger> {
  const paths = harvestPaths(options.dir, null);
  const query: HarvestQuery = {
    baseUrl: host.service.http.baseUrl.href,
    params: options.params,
    account: options.account,
  };
  const plan = (number: number, since: string | undefined) =>
    planGeneration(
      { source, params: options.params, jobs: options.jobs, most: MOST_RECORDS, note: host.note },
      number,
      since,
    );
  const existing = options.fresh ? undefined : await Ledger.open(paths.ledger);
  if (existing === undefined) {
    const data: LedgerData = {
      version: 1,
      fingerprint: fingerprintOf(query),
      query,
      shard: null,
      gzip: options.gzip ?? false,
      generations: [await plan(1, undefined)],
    };
    return Ledger.create(paths.ledger, data);
  }
  checkSame(existing.data, query, options);
  const latest = existing.data.generations.at(-1);
  if (latest === undefined || latest.finishedAt !== undefined) {
    const since = sinceOf(existing.data, options.overlapMs);
    existing.data.generations.push(await plan((latest?.number ?? 0) + 1, since));
    await existing.save();
  } else {
    reopen(latest);
  }
  return existing;
}

/** @throws {CliError} kind `usage` when the directory holds another harvest. */
function checkSame(data: LedgerData, query: HarvestQuery, { gzip, dir }: HarvestOptions): void {
  if (data.fingerprint !== fingerprintOf(query)) {
    const before = [
      data.query.baseUrl,
      data.query.account ?? 'anonymous',
      ...data.query.params.map((pair) => pair.join('=')),
    ];
    throw usageError(
      `${dir} holds the harvest of another query: ${before.join(' ')}`,
      'use the same filters, base URL and account, another --dir, or --fresh to start over',
    );
  }
  if (gzip !== undefined && gzip !== data.gzip) {
    throw usageError(
      `${dir} holds files ${data.gzip ? 'with' : 'without'} gzip`,
      'leave --gzip as it was, or use --fresh',
    );
  }
}

/** Windows that were left with gaps or problems are looked at again. */
function reopen(generation: Generation): void {
  generation.problems = [];
  for (const window of generation.windows) {
    if (!window.done || window.gaps.length === 0) continue;
    Object.assign(window, {
      done: false,
      cursor: null,
      restart: null,
      latest: null,
      bytes: 0,
      records: 0,
      gaps: [],
    });
  }
}

async function fetchWindows(
  host: HarvestHost,
  options: HarvestOptions,
  ledger: Ledger,
  generation: Generation,
  lock: Lock,
): Promise<void> {
  const { service } = host;
  const paths = harvestPaths(options.dir, null);
  const slots = new Slots(PAGES_IN_MEMORY);
  // One job's failure stops the others, in good order.
  const stop = new AbortController();
  const signal = AbortSignal.any([host.signal, stop.signal, lock.lost]);
  const checkpoints = new Checkpoints(() => ledger.save());
  const timer = setInterval(
    () => void checkpoints.take().catch((error: unknown) => stop.abort(error)),
    CHECKPOINT_MS,
  );
  let records = generation.windows.reduce((sum, window) => sum + window.records, 0);
  const queue = generation.windows.filter(({ done }) => !done);
  const job = async () => {
    for (let window = queue.shift(); window !== undefined; window = queue.shift()) {
      const source = new PageSource(service, slots, host.now);
      try {
        await fetchWindow(
          {
            source,
            query: { params: options.params, clauses: clausesOf(generation), pageSize: options.pageSize },
            gzip: ledger.data.gzip,
            checkpoints,
            signal,
            path: ({ index }) => paths.part(generation.number, index, ledger.data.gzip),
            save: () => ledger.save(),
            onRecords: (count) => {
              records += count;
              host.progress(records, generation.totalAtStart);
            },
            note: host.note,
            problem: (text) => void generation.problems.push(text),
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
