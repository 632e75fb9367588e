import { existsSync } from 'node:fs';
import type { Service } from '../../../api/service.ts';
import { jobsFor } from '../../../core/open-service.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { CliError, ClosedPipe, CONTINUE_HINT } from '../../../errors.ts';
import { counted, number } from '../../../text/words.ts';
import type { BulkLedger } from '../../../writing/ledger/ledger.ts';
import type { LineIndex } from '../../../writing/ledger/line-index.ts';
import { MemoryLedger } from '../../../writing/ledger/memory-ledger.ts';
import { ListedRecords } from '../../../writing/listed-records.ts';
import { expectsRecords, requestIn } from '../../../writing/request.ts';
import { addRespelled, type RespelledValues, respelledLines } from '../../../writing/respelled.ts';
import { failedResult, isTaken, requireState, resultOf } from '../../../writing/result.ts';
import { attemptTotals, type BulkCounts, type BulkRun, runBulk } from '../../../writing/run.ts';
import { type WriteContext, write } from '../../../writing/write.ts';
import { endsWithTables, MAX_SHOWN, WarningCounts, withResults } from '../results/results.ts';
import type { Bulk, SurveyedLines } from './input.ts';
import {
  type ChangesOfRun,
  failureLines,
  reportCounts,
  resultLayout,
  warningLines,
} from './report.ts';

/** A run with its service and ledger. */
interface RunWork extends Bulk {
  /** Undefined in a dry run of a create without credentials. */
  readonly service: Service | undefined;
  readonly unchecked?: WriteContext['unchecked'];
  /** The lock, and a ledger unless the run can be repeated as a whole; undefined in a dry run. */
  readonly writes: { readonly ledger: BulkLedger | undefined; readonly lock: Lock } | undefined;
}

/** Processes the lines, and prints results and counts. @throws {CliError} unless all succeed. */
export async function runLines(
  work: RunWork,
  index: LineIndex,
  surveyed: SurveyedLines,
): Promise<BulkCounts> {
  const { context, writes, options, target } = work;
  const { host, messages } = context;
  const changed: ChangesOfRun = new Map();
  const respelled: RespelledValues = new Map();
  let [done, conflicts, taken] = [surveyed.done, false, false];
  const warned = new WarningCounts();
  try {
    const layout = resultLayout(work, changed);
    const counts = await withResults(
      context,
      target,
      layout,
      'waiting for the first answer',
      (shown) =>
        runBulk({
          ...runOf(work, surveyed, changed, respelled),
          index,
          ledger: writes?.ledger,
          write: (result) => {
            conflicts ||= result.errors.some(({ conflict }) => conflict !== undefined);
            taken ||= options.command === 'create' && result.errors.some(isTaken);
            warned.add(result);
            return shown.write(result);
          },
          progress: (soFar) => {
            done = surveyed.done + attemptTotals(soFar).done;
            const failed = soFar.failed > 0 ? `${number(soFar.failed)} failed` : '';
            shown.progress.update(
              attemptTotals(soFar).all,
              surveyed.records - surveyed.done,
              failed,
            );
          },
        }),
    );
    if (
      writes?.ledger !== undefined &&
      !expectsRecords(options) &&
      counts.unavailable === 0 &&
      attemptTotals(counts).all + counts.before === surveyed.records
    ) {
      // The DOIs may be changed elsewhere from now on: the same command must read them again,
      // unless it continues because the service failed.
      await writes.lock.check();
      await writes.ledger.remove();
    }
    if (options.command === 'delete' && counts.unchanged > 0) {
      messages.note(
        `not found, or not readable with these credentials: ${counted(counts.unchanged, 'DOI')}`,
      );
    }
    for (const line of respelled.size > 0 ? respelledLines(respelled) : []) messages.note(line);
    reportCounts(work, counts, { records: surveyed.records, conflicts, taken, warned });
    return counts;
  } catch (error) {
    if (writes === undefined) throw error;
    const some = `${number(done)} of ${number(surveyed.records)} records are done`;
    // A reader that closed the pipe does not see that the run is incomplete.
    if (host.signal.aborted || (error instanceof ClosedPipe && done < surveyed.records)) {
      throw new CliError('incomplete', `stopped: ${some}`, { hint: CONTINUE_HINT, cause: error });
    }
    if (!(error instanceof CliError) || error.kind === 'rejected') throw error;
    messages.note(some);
    // Without its ledger, the same command would start over.
    const mayGoOn = error.kind === 'unavailable' && existsSync(writes.ledger?.path ?? '');
    throw mayGoOn ? error.with({ hint: CONTINUE_HINT }) : error;
  }
}

/** Shows what the lines would change in tables on stderr, before a question. */
export function previewLines(
  work: Omit<RunWork, 'writes'>,
  index: LineIndex,
  surveyed: SurveyedLines,
): Promise<BulkCounts> {
  const target = { format: 'table', isPreview: true } as const;
  return runLines({ ...work, target, writes: undefined }, index, surveyed);
}

/** How lines are processed and reported at once. `changed` and `respelled` collect values. */
function runOf(
  work: RunWork,
  { repeats, lookups }: SurveyedLines,
  changed: ChangesOfRun,
  respelled: RespelledValues,
): Omit<BulkRun, 'index' | 'ledger' | 'progress' | 'write'> {
  const { context, service, input, flags, options, target, writes } = work;
  const { host, messages } = context;
  const tellsAtOnce = !endsWithTables(context, target);
  const writeContext = writeContextOf(work, lookups);
  let [failures, warned] = [0, 0];
  const note = (texts: readonly string[], place: number) => {
    if (place <= MAX_SHOWN && tellsAtOnce) for (const text of texts) messages.note(text);
  };
  return {
    input,
    repeats,
    signal: host.signal,
    failFast: flags.failFast === true,
    jobs: service === undefined ? 1 : (flags.jobs ?? jobsFor(service)),
    apply: async (record, task) => {
      const request = requestIn(record, input, options);
      const writeOutcome = requireState(await write(writeContext, request, task), options);
      const { changes, outcome, sent } = writeOutcome;
      if (writeOutcome.respelled?.length) addRespelled(respelled, writeOutcome.respelled);
      if (outcome === 'created' || (changes && outcome !== 'unchanged'))
        changed.set(task.line, changes ?? []);
      const run = { context, file: input };
      const result = resultOf(run, task.line, writeOutcome, writes === undefined);
      const warnings = warningLines(result, input);
      if (warnings.length > 0) warned += 1;
      note(warnings, warned);
      return { result, sent };
    },
    failed: (record, doi, error) => {
      const result = failedResult({ context, file: input, options }, record, doi, error);
      failures += 1;
      note(failureLines(result, input), failures);
      return result;
    },
  };
}

/** @param lookups the DOIs of records that lists can show, many in each request. */
function writeContextOf(
  { context, service, writes, options, unchecked }: RunWork,
  lookups: readonly string[],
): WriteContext {
  const listed = service && lookups.length > 0 ? new ListedRecords(service, lookups) : undefined;
  return {
    context,
    listed: listed && ((doi) => listed.find(doi)),
    takesMissing: options.command === 'delete',
    unchecked: service === undefined ? 'service' : unchecked,
    connect: async () => {
      if (service === undefined) throw new Error('a check of new records needs no service');
      return service;
    },
    writes: writes && {
      ledger: writes.ledger ?? new MemoryLedger(context.host.now()),
      send: async (request) => {
        await writes.lock.check();
        return request();
      },
    },
  };
}
