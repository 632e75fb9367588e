import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { acceptedAccount } from '../../../api/account.ts';
import { writeRate } from '../../../api/http/rate-limiter.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../core/open-service.ts';
import { type Lock, withDirectoryLock } from '../../../disk/lock/lock.ts';
import { regularTarget } from '../../../disk/regular-file.ts';
import { CliError, ClosedPipe, CONTINUE_HINT, usageError } from '../../../errors.ts';
import type { RecordFile } from '../../../formats/open.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { counted, number } from '../../../text/words.ts';
import { LineIndex, type WriteCommand } from '../../../writing/ledger/entry.ts';
import { BulkLedger } from '../../../writing/ledger/ledger.ts';
import { ListedRecords } from '../../../writing/listed-records.ts';
import { changeTextOf, expectsRecords, requestIn } from '../../../writing/request.ts';
import { addRespelled, type RespelledValues, respelledLines } from '../../../writing/respelled.ts';
import { failedResult, isTaken, requireState, resultOf } from '../../../writing/result.ts';
import { attemptTotals, type BulkRun, runBulk } from '../../../writing/run.ts';
import { type WriteContext, write } from '../../../writing/write.ts';
import { endsWithTables, MAX_SHOWN, WarningCounts, withResults } from '../results/results.ts';
import {
  type Bulk,
  discard,
  fileOf,
  requestOptions,
  type SurveyedLines,
  surveyLines,
  targetOfRun,
  type WriteFlags,
} from './input.ts';
import {
  type ChangesOfRun,
  failureLines,
  reportCounts,
  resultLayout,
  warningLines,
} from './report.ts';
import { serviceForCheck } from './service.ts';

/** Asks for confirmation. @param which the number of DOIs, in words. @throws for a no. */
type Ask = (which: string) => Promise<void>;

/** Creates, changes or deletes the records of a file, and prints the result of each. */
export async function bulkCommand(
  context: Context,
  command: WriteCommand,
  file: RecordFile,
  flags: WriteFlags,
  ask?: Ask,
): Promise<void> {
  const begun = context.host.now();
  const target = targetOfRun(context, flags);
  const options = requestOptions(command, flags, flags.prefix ?? (await context.prefix()));
  const chosenLedger =
    flags.ledger && (await regularTarget(flags.ledger, `the ledger ${flags.ledger}`));
  const input = await fileOf(context, file);
  const { files } = input;
  if (flags.url !== undefined && files === undefined) {
    throw usageError(
      '--url is for a record of XML, or a folder of them',
      'write the urls into the file',
    );
  }
  const bulk = { context, input, flags, options, target, begun };
  const from = files === undefined ? await regularTarget(input.path) : input.path;
  const defaultLedger = `${from}.${command}-ledger`;
  if (flags.dryRun)
    return dryRun(bulk, chosenLedger ?? defaultLedger).finally(() => discard(input));
  const path = chosenLedger ?? (await regularTarget(defaultLedger, `the ledger ${defaultLedger}`));
  // A later run finds what is left of a list.
  const isOnlyCopy = input.folder !== undefined && !input.isList && chosenLedger === undefined;
  try {
    const host = { ...context.host, note: (text: string) => context.messages.status(text) };
    await withDirectoryLock(
      host,
      `${path}.lock`,
      (lock) => withLedger(bulk, ask, lock, path),
      path,
    );
  } catch (error) {
    const isKept = isOnlyCopy && existsSync(path);
    if (!isKept) await discard(input);
    if (!(error instanceof CliError)) throw error;
    const hint = isKept && context.again([], [String(flags.file), input.path]);
    throw hint ? error.with({ hint }) : withLedgerHint(error, path);
  }
  await discard(input);
}

/** Adds a hint to an error about writing a ledger next to its file. */
export function withLedgerHint(error: CliError, ledger: string): CliError {
  if (error.kind !== 'output' || !error.message.includes(ledger)) return error;
  return error.with({ hint: '--ledger <path> puts the ledger and its lock elsewhere' });
}

/** Prints what each line would change. @param ledger if it exists, the records may exist. */
async function dryRun(bulk: Bulk, ledger: string): Promise<void> {
  const { context, options, flags } = bulk;
  const index = new LineIndex();
  const surveyed = await surveyLines(bulk, index);
  const rate = flags.rate ?? 'service';
  const isNew = options.command === 'create';
  const service = await (isNew ? serviceForCheck(context, rate) : context.service('writes', rate));
  const isRepeat = isNew && service !== undefined && existsSync(ledger);
  if (isRepeat)
    context.messages.note(`not checked which DOIs exist: ${ledger} is of an earlier run`);
  const unchecked = isRepeat ? 'taken' : undefined;
  await runLines({ ...bulk, service, unchecked, writes: undefined }, index, surveyed);
}

async function withLedger(
  bulk: Bulk,
  ask: Ask | undefined,
  lock: Lock,
  path: string,
): Promise<void> {
  const { context, input, options, flags } = bulk;
  const ledger = await BulkLedger.open(path);
  try {
    const surveyed = await surveyLines(bulk, ledger.index);
    const left = surveyed.records - surveyed.done;
    if (left > 0 || !input.isList) await ask?.(`${counted(left, 'DOI')} of ${input.name}`);
    if (input.folder !== undefined && !input.isList && flags.ledger === undefined) {
      context.messages.status(`the records are kept in ${input.path} until all are done`);
    }
    const rate = flags.rate ?? writeRate(surveyed.records);
    if (flags.rate === undefined && rate !== 'service') {
      const limit = 'at most 500 requests in five minutes, as the service asks';
      const many = counted(surveyed.records, 'record');
      context.messages.status(`${many}: ${limit} (--rate sets another limit)`);
    }
    const service = await context.service('writes', rate);
    await ledger.claim({
      format: 'doi-cli bulk ledger',
      version: 2,
      command: options.command,
      baseUrl: normalizeBaseUrl(service.http.baseUrl),
      account: await acceptedAccount(service),
      event: options.event ?? null,
      change: changeTextOf(options),
      seed: randomBytes(16).toString('hex'),
      begun: new Date(context.host.now()).toISOString(),
    });
    await runLines({ ...bulk, service, writes: { ledger, lock } }, ledger.index, surveyed);
  } finally {
    await ledger.close();
  }
}

/** A run with its service and ledger. */
interface RunWork extends Bulk {
  /** Undefined in a dry run of a create without credentials. */
  readonly service: Service | undefined;
  readonly unchecked?: WriteContext['unchecked'];
  /** The ledger and its lock; undefined in a dry run. */
  readonly writes: { readonly ledger: BulkLedger; readonly lock: Lock } | undefined;
}

async function runLines(work: RunWork, index: LineIndex, surveyed: SurveyedLines): Promise<void> {
  const { context, writes, options, target, begun } = work;
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
      writes !== undefined &&
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
    const elapsedMs = host.now() - begun;
    const { records } = surveyed;
    reportCounts(work, counts, { records, elapsedMs, conflicts, taken, warned });
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
    const mayGoOn = error.kind === 'unavailable' && existsSync(writes.ledger.path);
    throw mayGoOn ? error.with({ hint: CONTINUE_HINT }) : error;
  }
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
      ledger: writes.ledger,
      send: async (request) => {
        await writes.lock.check();
        return request();
      },
    },
  };
}
