import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { acceptedAccount } from '../../../api/account.ts';
import { BulkLedger } from '../../../bulk/ledger.ts';
import { LineIndex } from '../../../bulk/line-index.ts';
import { runBulk } from '../../../bulk/run.ts';
import { linesOf, type Survey, survey } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../../disk/lock/lock.ts';
import { CliError, usageError } from '../../../errors.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { isBlank, textOf } from '../../../text/lines.ts';
import { counted, number } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import type { RecordFile } from '../record/record-file.ts';
import { type BulkFlags, type BulkInput, discard, fileOf } from './input.ts';
import { droppedMember, type LineOptions, problemsOf, readLine } from './line-record.ts';
import { carryOutLine, failedResult, type LineWork } from './line-work.ts';
import { failureText, reportCounts } from './report.ts';

// The service asks for this rate when about 100,000 records or more are written in a day (service.md, E8).
const MANY_RECORDS = 100_000;
const MODEST_RATE = { requests: 500, windowMs: 300_000 };
// The results hold every failure. When stdout goes to a file, stderr shows the first ones at once.
const MAX_FAILURES_SHOWN = 5;
// Well below the minute after which another machine may take over a lock that nobody touches.
const CONFIRM_EVERY_MS = 10_000;
const GO_ON = 'the same command again continues';

/**
 * Creates or updates the records of a file, one a line, and prints the result of each.
 * @param misplaced what is wrong when options that only one record can have are given.
 * @throws {CliError} kind `usage` before anything is sent; `rejected` when lines failed; the error that ended
 *   it early.
 */
export async function bulkCommand(
  context: Context,
  command: 'create' | 'update',
  file: RecordFile,
  flags: BulkFlags,
  misplaced: string | undefined,
): Promise<void> {
  const misuse = flags.format === 'text' ? 'the results of many records are NDJSON' : misplaced;
  if (misuse !== undefined) throw usageError(misuse, 'leave the option out');
  const input = await fileOf(context, file);
  const { event, validate } = flags;
  const prefix = flags.prefix ?? (await context.prefix());
  const bulk = { context, input, flags, lines: { command, name: input.name, event, prefix, validate } };
  if (flags.dryRun) return dryRun(bulk).finally(() => discard(input));
  const ledger = await linkTarget(flags.ledger ?? `${await linkTarget(input.path)}.${command}-ledger`);
  const goOn =
    input.folder === undefined || flags.ledger !== undefined
      ? undefined
      : context.suggest('dois', command, '--file', input.path, ...repeatedOptions(flags));
  const note = (text: string) => context.messages.status(text);
  if (goOn !== undefined) note(`until all are done, the records are kept in ${input.path}`);
  try {
    await withDirectoryLock(
      { ...context.host, note },
      `${ledger}.lock`,
      (lock) => withLedger(bulk, lock, ledger),
      ledger,
    );
    await discard(input);
  } catch (error) {
    if (goOn !== undefined && existsSync(ledger)) {
      throw error instanceof CliError ? error.with({ hint: goOn }) : error;
    }
    await discard(input);
    throw error;
  }
}

/** The options that decide what is sent, which the next command has to repeat. */
function repeatedOptions({ prefix, event, validate }: BulkFlags): string[] {
  return [
    ...(prefix === undefined ? [] : ['--prefix', prefix]),
    ...(event === undefined ? [] : ['--event', event]),
    ...(validate ? [] : ['--no-validate']),
  ];
}

/** The target of a symbolic link: a file has one ledger, and a ledger one lock, whichever name is used. */
async function linkTarget(path: string): Promise<string> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  } catch {
    // ServiceOptions it fails too, with an error for the user.
    return path;
  }
}

interface Bulk {
  readonly context: Context;
  readonly input: BulkInput;
  readonly lines: LineOptions;
  readonly flags: BulkFlags;
}

/** Checks all lines. A file may name each DOI only once when it creates them. */
function surveyLines({ context, input, lines }: Bulk, index: LineIndex): Promise<Survey> {
  const doiOf = (text: string, line: number) => {
    const { doi } = readLine(text, line, lines).parsed;
    return lines.command === 'create' ? doi : undefined;
  };
  return survey({ input, index, signal: context.host.signal, doiOf });
}

/**
 * Prints for each line whether it would be sent, and sends nothing.
 * @throws {CliError} kind `rejected` when a line has errors.
 */
async function dryRun(bulk: Bulk): Promise<void> {
  const { context, input, lines } = bulk;
  const { records } = await surveyLines(bulk, new LineIndex());
  let invalid = 0;
  for await (const line of linesOf(input)) {
    context.host.signal.throwIfAborted();
    if (isBlank(line.bytes)) continue;
    const record = readLine(textOf(line, input.name), line.number, lines);
    const errors = problemsOf(record, lines);
    if (errors.length > 0) invalid += 1;
    const outcome = errors.length > 0 ? 'failed' : 'valid';
    const doi = record.parsed.doi ?? null;
    const result = { line: line.number, doi, state: null, outcome, errors, ...droppedMember(record, lines) };
    await context.out.write(`${JSON.stringify(result)}\n`);
  }
  const text = `${counted(records, 'record')}, ${number(invalid)} invalid; nothing was sent (--dry-run)`;
  if (invalid > 0) throw new CliError('rejected', text);
  context.messages.note(text);
}

async function withLedger(bulk: Bulk, lock: Lock, path: string): Promise<void> {
  const { context, lines, flags } = bulk;
  const ledger = await BulkLedger.open(path);
  const progress = await Progress.start(context, context.host.terminal.stdout, 'reading the records');
  try {
    const found = await surveyLines(bulk, ledger.index);
    const modest = flags.rate === undefined && found.records > MANY_RECORDS;
    if (modest) {
      context.messages.status(
        `${number(found.records)} records: at the 500 requests in five minutes that the service asks for (--rate for another)`,
      );
    }
    const service = await context.service('writes', flags.rate ?? (modest ? MODEST_RATE : 'service'));
    await ledger.claim({
      format: 'doi-cli bulk ledger',
      version: 1,
      command: lines.command,
      baseUrl: normalizeBaseUrl(service.http.baseUrl),
      account: await acceptedAccount(service),
      event: lines.event ?? null,
    });
    await carryOut({ ...bulk, service, lock, ledger, found, progress });
  } finally {
    progress.stop();
    await ledger.close();
  }
}

interface BulkWork extends Bulk, LineWork {
  readonly lock: Lock;
  readonly found: Survey;
  readonly progress: Progress;
}

async function carryOut(work: BulkWork): Promise<void> {
  const { context, service, lock, ledger, input, lines, found, flags, progress } = work;
  const { host, messages } = context;
  // Each request in progress listens to the signal; Node warns of a leak at more than ten.
  setMaxListeners(0, host.signal);
  let confirmedAt = host.now();
  let done = found.done;
  let failures = 0;
  try {
    const counts = await runBulk({
      input,
      ledger,
      signal: host.signal,
      jobs: flags.jobs ?? jobsFor(service),
      failFast: flags.failFast === true,
      keyOf: (text, line) =>
        lines.command === 'update' ? readLine(text, line, lines).parsed.doi?.toLowerCase() : undefined,
      carryOut: async (task) => {
        // While this process was asleep, another machine may have taken the lock and written to the ledger.
        if (Math.abs(host.now() - confirmedAt) >= CONFIRM_EVERY_MS) {
          await lock.confirm();
          confirmedAt = host.now();
        }
        return carryOutLine(work, task);
      },
      failed: (task, doi, error) => {
        const result = failedResult(work, task, doi, error);
        failures += 1;
        if (failures <= MAX_FAILURES_SHOWN && !host.terminal.stdout)
          messages.note(failureText(result, input));
        return result;
      },
      write: (text) => context.out.write(text),
      progress: ({ created, updated, failed }) => {
        done = found.done + created + updated;
        progress.update(created + updated + failed, found.records - found.done);
      },
    });
    progress.stop();
    reportCounts(context, counts, found, progress.elapsed);
  } catch (error) {
    progress.stop();
    const some = `${number(done)} of ${number(found.records)} records are done`;
    if (host.signal.aborted) {
      throw new CliError('incomplete', `stopped: ${some}`, { hint: GO_ON, cause: error });
    }
    if (!(error instanceof CliError) || error.kind === 'rejected') throw error;
    messages.note(some);
    throw error.with({ hint: error.hint === undefined ? GO_ON : `${error.hint}; ${GO_ON}` });
  }
}
