import { basename, dirname } from 'node:path';
import { withDirectoryLock } from '../../disk/lock/lock.ts';
import { CliError, usageError } from '../../errors.ts';
import {
  type HarvestPaths,
  harvestPaths,
  ledgerFiles,
  makeFolders,
  removeReceipts,
} from '../store/directory.ts';
import { Ledger } from '../store/ledger.ts';
import {
  differenceOf,
  fingerprintOf,
  type Generation,
  type HarvestQuery,
  type LedgerData,
} from '../store/ledger-data.ts';
import { damageSummary, findDamage } from './damage.ts';
import { type HarvestRun, newWindow, planGeneration, sinceOf } from './generation.ts';
import type { HarvestHost, RunOptions } from './options.ts';
import { PageSource } from './page-source.ts';
import { reopenWindows, unfinishedGenerations } from './reopen-windows.ts';

// The number of shards is not known when the plan is written.
const WINDOWS_TO_SHARE = 64;

/** The ledger of a directory or a shard, with an unfinished generation. @throws {CliError}. */
export async function openLedger(run: HarvestRun): Promise<Ledger> {
  const { dir, shard, fresh, check, overlapMs } = run.options;
  const paths = harvestPaths(dir, shard);
  const before = fresh ? undefined : await Ledger.open(paths.ledger);
  if (before !== undefined) checkSame(before.data, run);
  const ledger = before ?? (await newLedger(run, paths));
  if (before === undefined) return ledger;
  const damages = await findDamage(ledger.data, dir, check, run.host.signal);
  if (damages.length > 0) run.host.note(`${damageSummary(damages)}; fetching their windows again`);
  await reopenWindows(run.source, ledger.data, damages);
  // The ledger drops part files before they are removed.
  await ledger.save();
  if (unfinishedGenerations(ledger.data).length > 0) return ledger;
  requireUpdatable(run.options);
  const { generations } = ledger.data;
  const latest = generations.at(-1);
  const since = latest && sinceOf(latest, overlapMs);
  const windows = shard === null ? undefined : generations[0]?.windows;
  generations.push(await planGeneration(run, (latest?.number ?? 0) + 1, { since, windows }));
  await ledger.save();
  return ledger;
}

/** @throws {CliError} kind `usage` for a copy with enrichments (service.md, F18). */
function requireUpdatable({ dir, params }: RunOptions): void {
  const isEnriched = params.some(
    ([name, value]) => name === 'enriched' && value.toLowerCase() === 'true',
  );
  if (!isEnriched) return;
  throw usageError(
    `${dir} holds enriched records: an update would miss later enrichments, which change no time`,
    'the same command with --fresh fetches all records again',
  );
}

async function newLedger(run: HarvestRun, paths: HarvestPaths): Promise<Ledger> {
  const data = await firstLedger(run);
  await removeReceipts(paths);
  return Ledger.create(paths.ledger, data);
}

/** Writes the plan of shards. @throws {CliError} kind `usage` if there is a harvest or a plan. */
export async function writePlan(host: HarvestHost, options: RunOptions): Promise<Generation> {
  const { dir, fresh } = options;
  const paths = harvestPaths(dir, null);
  await makeFolders(paths);
  return withDirectoryLock(host, paths.lock, async () => {
    if ((await ledgerFiles(dir)).length > 0) {
      throw usageError(`${dir} holds a harvest already`, 'plan in a new directory');
    }
    if (!fresh && (await Ledger.open(paths.plan)) !== undefined) {
      throw usageError(
        `${dir} holds a plan already`,
        'run its shards, or replace the plan with --fresh',
      );
    }
    const run = { host, options, source: new PageSource(host), densities: new Map() };
    const generation = await planGeneration(run, 1, { parts: WINDOWS_TO_SHARE });
    await Ledger.create(paths.plan, ledgerOf(run, generation));
    return generation;
  });
}

function queryOf({ host, options: { params, account, relative } }: HarvestRun): HarvestQuery {
  const query = { baseUrl: host.service.http.baseUrl.href, params, account };
  return relative === undefined ? query : { ...query, relative };
}

function ledgerOf(run: HarvestRun, generation: Generation): LedgerData {
  const query = queryOf(run);
  const { shard, gzip = false } = run.options;
  return {
    version: 1,
    fingerprint: fingerprintOf(query),
    query,
    shard,
    gzip,
    generations: [generation],
  };
}

async function firstLedger(run: HarvestRun): Promise<LedgerData> {
  const { dir, shard } = run.options;
  const plan = await Ledger.open(harvestPaths(dir, null).plan);
  if (plan === undefined) {
    if (shard !== null) throw noPlan(dir);
    return ledgerOf(run, await planGeneration(run, 1));
  }
  checkSame(plan.data, run);
  const [whole] = plan.data.generations;
  if (whole === undefined) throw new CliError('unexpected', `the plan in ${dir} is empty`);
  const windows = whole.windows
    .filter(({ index }) => shard === null || index % shard.of === shard.index - 1)
    .map((window) => newWindow(window.index, window));
  const totalAtStart = windows.reduce((sum, { count }) => sum + count, 0);
  return { ...plan.data, shard, generations: [{ ...whole, windows, totalAtStart }] };
}

/** @throws {CliError} kind `usage` when the directory holds another harvest. */
function checkSame(data: LedgerData, run: HarvestRun): void {
  const { gzip, dir } = run.options;
  if (data.fingerprint !== fingerprintOf(queryOf(run))) {
    throw usageError(
      `${dir} holds the harvest of another query (${differenceOf(data.query, queryOf(run))})`,
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

/** @throws {CliError} kind `usage` for a changed number of shards, or a shard without a plan. */
export async function checkSharding({ dir, shard }: RunOptions): Promise<void> {
  if (shard !== null && (await Ledger.open(harvestPaths(dir, null).plan)) === undefined)
    throw noPlan(dir);
  const [first] = await ledgerFiles(dir);
  if (first === undefined) return;
  const of = Number(/shard-\d+-of-(\d+)/.exec(basename(dirname(first)))?.[1] ?? 1);
  if (of === (shard?.of ?? 1)) return;
  const how = of === 1 ? 'without shards' : `with ${of} shards`;
  throw usageError(
    `the harvest in ${dir} was made ${how}`,
    'continue with the same shards, or use another --dir',
  );
}

function noPlan(dir: string): CliError {
  return usageError(
    `there is no plan in ${dir}`,
    'write one first: the same command with --plan instead of --shard',
  );
}
