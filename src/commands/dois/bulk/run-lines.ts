import { existsSync } from 'node:fs';
import type { Service } from '../../../api/service.ts';
import { jobsFor } from '../../../core/open-service.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { CliError, ClosedPipe, CONTINUE_HINT } from '../../../errors.ts';
import { number } from '../../../text/words.ts';
import type { BulkLedger } from '../../../writing/ledger/ledger.ts';
import { MemoryLedger } from '../../../writing/ledger/memory-ledger.ts';
import { ListedRecords } from '../../../writing/listed-records.ts';
import { expectsRecords } from '../../../writing/request.ts';
import { runFile } from '../../../writing/run.ts';
import type { Survey } from '../../../writing/survey.ts';
import type { WriteRun } from '../../../writing/write-run.ts';
import { endsWithTables, type ResultTarget, withResults } from '../results/results.ts';
import type { Bulk } from './input.ts';
import { resultLayout } from './report.ts';
import { printReport, RunReport } from './run-report.ts';

/** Where a preview is shown: in tables on stderr. */
export const BEFORE_QUESTION: ResultTarget = { format: 'table', isPreview: true };

/** How a file is processed; a run that sends has a lock, and a ledger unless it can be repeated. */
interface RunKind {
  readonly mode: Exclude<WriteRun['mode'], 'offline'>;
  readonly ledger?: BulkLedger | undefined;
  /** For a dry run: the ledger of an earlier run, whose edits were sent. */
  readonly earlier?: BulkLedger | undefined;
  readonly lock?: Lock;
}

/** A run of a file. @param service undefined for a check of new records without credentials. */
export function fileRun(
  { context, flags }: Bulk,
  { index, identities: { lookups } }: Survey,
  service: Service | undefined,
  { mode, ledger, earlier, lock }: RunKind,
): WriteRun {
  return {
    io: context,
    mode: service === undefined ? 'offline' : mode,
    service: async () => {
      if (service === undefined) throw new Error('a check of new records needs no service');
      return service;
    },
    ledger: ledger ?? new MemoryLedger(context.host.now(), index, earlier),
    send: async (request) => {
      await lock?.check();
      return request();
    },
    jobs: service === undefined ? 1 : (flags.jobs ?? jobsFor(service)),
    failFast: flags.failFast,
    listed: service && lookups.length > 0 ? new ListedRecords(service, lookups) : undefined,
  };
}

/** Sends what a survey has found, and prints results and counts. @throws unless all succeed. */
export async function sendLines(
  bulk: Bulk,
  service: Service,
  surveyed: Survey,
  lock: Lock,
  ledger?: BulkLedger,
): Promise<RunReport> {
  const { host, messages } = bulk.context;
  const run = fileRun(bulk, surveyed, service, { mode: 'send', lock, ledger });
  try {
    const report = await resultsOf(bulk, run, surveyed);
    const { counts } = report;
    const isComplete = counts.all + counts.of('before') === surveyed.records;
    if (ledger && !expectsRecords(bulk.options) && counts.of('unavailable') === 0 && isComplete) {
      // The DOIs may be changed elsewhere from now on: the same command must read them again,
      // unless it continues because the service failed.
      await lock.check();
      await ledger.remove();
    }
    printReport(bulk, report, surveyed.records);
    return report;
  } catch (error) {
    const { done } = surveyed.index;
    const some = `${number(done)} of ${number(surveyed.records)} records are done`;
    // A reader that closed the pipe does not see that the run is incomplete.
    if (host.signal.aborted || (error instanceof ClosedPipe && done < surveyed.records)) {
      throw new CliError('incomplete', `stopped: ${some}`, { hint: CONTINUE_HINT, cause: error });
    }
    if (!(error instanceof CliError) || error.kind === 'rejected') throw error;
    messages.note(some);
    // Without its ledger, the same command would start over.
    const mayGoOn = error.kind === 'unavailable' && existsSync(ledger?.path ?? '');
    throw mayGoOn ? error.with({ hint: CONTINUE_HINT }) : error;
  }
}

/**
 * Prints what a file would change. @param most the number of changed records after which it ends.
 * @throws unless all succeed.
 */
export async function previewLines(
  bulk: Bulk,
  run: WriteRun,
  surveyed: Survey,
  most?: number,
): Promise<RunReport> {
  const report = await resultsOf(bulk, run, surveyed, most);
  const { counts } = report;
  printReport(bulk, report, counts.of('valid') === most ? counts.all : surveyed.records);
  return report;
}

/** Runs the lines of a file, and prints the result of each. */
async function resultsOf(
  bulk: Bulk,
  run: WriteRun,
  surveyed: Survey,
  most?: number,
): Promise<RunReport> {
  const { context, target, input } = bulk;
  const report = new RunReport();
  const { counts } = report;
  const layout = resultLayout(bulk);
  await withResults(context, target, layout, 'waiting for the first answer', async (shown) => {
    for await (const line of runFile(run, surveyed)) {
      const notes = report.add(line, input);
      for (const text of endsWithTables(context, target) ? [] : notes) context.messages.note(text);
      const failed = counts.of('failed') > 0 ? `${number(counts.of('failed'))} failed` : '';
      shown.progress.update(counts.all, surveyed.records - surveyed.done, failed);
      await shown.write(line);
      if (counts.of('valid') === most) break;
    }
  });
  return report;
}
