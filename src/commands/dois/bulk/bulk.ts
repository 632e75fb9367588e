import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { acceptedAccount } from '../../../api/account.ts';
import { BulkLedger } from '../../../bulk/ledger.ts';
import { regularTarget } from '../../../bulk/ledger-file.ts';
import { LineIndex } from '../../../bulk/line-index.ts';
import { runBulk } from '../../../bulk/run.ts';
import { type Survey, survey, surveyedLines } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../../disk/lock/lock.ts';
import { CliError, usageError } from '../../../errors.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { textOf } from '../../../text/lines.ts';
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
  const { event, validate } = flags;
  const prefix = flags.prefix ?? (await context.prefix());
  const ledgerOf = (path: string) => regularTarget(path, `the ledger ${path}`);
  const given = flags.ledger === undefined ? undefined : await ledgerOf(flags.ledger);
  const input = await fileOf(context, file);
  const bulk = { context, input, flags, lines: { command, name: input.name, event, prefix, validate } };
  if (flags.dryRun) return dryRun(bulk).finally(() => discard(input));
  const ledger = given ?? (await ledgerOf(`${await regularTarget(input.path)}.${command}-ledger`));
  const goOn =
    input.folder === undefined || flags.ledger !== undefined
      ? undefined
      : context.suggest('dois', command, '--file', input.path, ...repeatedOptions(flags));
  const note = (text: string) => context.messages.status(text);
  if (goOn !== undefined) note(`until all are done, the records are kept in ${input.path}`);
  let isLocked = false;
  try {
    await withDirectoryLock(
      { ...context.host, note },
      `${ledger}.lock`,
      (lock) => {
        isLocked = true;
        return withLedger(bulk, lock, ledger);
      },
      ledger,
    );
    await discard(input);
  } catch (error) {
    if (goOn !== undefined && existsSync(ledger)) {
      throw error instanceof CliError ? error.with({ hint: goOn }) : error;
    }
    await discard(input);
    const elsewhere = !isLocked && error instanceof CliError && error.kind === 'output';
    throw elsewhere ? error.with({ hint: '--ledger <path> puts the ledger and its lock elsewhere' }) : error;
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
  const index = new LineIndex();
  const { records } = await surveyLines(bulk, index);
  let invalid = 0;
  for await (const line of surveyedLines(input, index)) {
    context.host.signal.throwIfAborted();
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
      version: 2,
      command: lines.command,
      baseUrl: normalizeBaseUrl(service.http.baseUrl),
      account: await acceptedAccount(service),
      event: lines.event ?? null,
      seed: randomBytes(16).toString('hex'),
      begun: new Date(context.host.now()).toISOString(),
    });
    await carryOut({ ...bulk, service, lock, ledger, found, progress });
  } finally {
    progress.stop();
    await ledger.close();
  }
}

interface BulkWork extends Bulk, LineWork {
  readonly found: Survey;
  readonly progress: Progress;
}

async function carryOut(work: BulkWork): Promise<void> {
  const { context, service, ledger, input, lines, found, flags, progress } = work;
  const { host, messages } = context;
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
      carryOut: (task) => carryOutLine(work, task),
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
    // Without its ledger, the same command would begin again.
    const hints = [error.hint, existsSync(ledger.path) ? GO_ON : undefined];
    throw error.with({ hint: hints.filter((hint) => hint !== undefined).join('; ') });
  }
}
