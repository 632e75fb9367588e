import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { acceptedAccount } from '../../../api/account.ts';
import type { Service } from '../../../api/service.ts';
import { isEvent } from '../../../api/states.ts';
import { BulkLedger } from '../../../bulk/ledger.ts';
import { runBulk } from '../../../bulk/run.ts';
import { type Survey, survey } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../../disk/lock/lock.ts';
import { CliError } from '../../../errors.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { number } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import type { RecordFile } from '../record/record-file.ts';
import { type BulkFlags, type BulkInput, discard, fileOf } from './input.ts';
import { type LineOptions, readLine, uniqueDoiOf } from './line-record.ts';
import { LineWork } from './line-work.ts';
import { failureText, reportCounts } from './report.ts';

// The service asks for this rate when more than 100,000 records are written (observed).
const MANY_RECORDS = 100_000;
const MODEST_RATE = { requests: 500, windowMs: 300_000 };
// The results hold every failure. When stdout goes to a file, stderr shows the first ones at once.
const MOST_FAILURES_SHOWN = 5;
// Well below the minute after which another machine may take over a lock that nobody touches.
const CONFIRM_EVERY_MS = 10_000;
const GO_ON = 'the same command again continues';

/**
 * Creates or updates the records of a file, one a line, and prints the result of each.
 * @throws {CliError} kind `usage` before anything is sent; `rejected` when lines failed; the error that ended
 *   it early.
 */
export async function bulkCommand(
  context: Context,
  command: 'create' | 'update',
  file: RecordFile,
  flags: BulkFlags,
): Promise<void> {
  const input = await fileOf(context, file);
  const lines: LineOptions = {
    command,
    name: input.name,
    event: flags.event,
    prefix: flags.prefix ?? (await context.prefix()),
    validate: flags.validate ?? true,
  };
  if (flags.dryRun) {
    const { dryRun } = await import('./dry-run.ts');
    return dryRun(context, input, lines).finally(() => discard(input));
  }
  const ledger = await linkTarget(flags.ledger ?? `${await linkTarget(input.path)}.${command}-ledger`);
  const goOn =
    input.folder === undefined || flags.ledger !== undefined
      ? undefined
      : context.suggest('dois', command, '--file', input.path, ...repeatedOptions(flags));
  if (goOn !== undefined)
    context.messages.status(`until all are done, the records are kept in ${input.path}`);
  const host = {
    signal: context.host.signal,
    now: context.host.now,
    note: (text: string) => context.messages.status(text),
  };
  try {
    await withDirectoryLock(
      host,
      `${ledger}.lock`,
      (lock) => withLedger(context, lock, ledger, input, lines, flags),
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
    ...(validate === false ? ['--no-validate'] : []),
  ];
}

/** The target of a symbolic link: a file has one ledger, and a ledger one lock, whichever name is used. */
async function linkTarget(path: string): Promise<string> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  } catch {
    // Opening it fails too, with an error for the user.
    return path;
  }
}

async function withLedger(
  context: Context,
  lock: Lock,
  path: string,
  input: BulkInput,
  lines: LineOptions,
  flags: BulkFlags,
): Promise<void> {
  const ledger = await BulkLedger.open(path);
  const progress = await Progress.start(context, context.host.terminal.stdout, 'reading the records');
  try {
    const found = await survey({
      input,
      index: ledger.index,
      signal: context.host.signal,
      doiOf: (text, line) => uniqueDoiOf(text, line, lines),
    });
    const service = await openService(context, found, flags);
    await ledger.claim({
      format: 'doi-cli bulk ledger',
      version: 1,
      command: lines.command,
      baseUrl: normalizeBaseUrl(service.http.baseUrl),
      account: await acceptedAccount(service),
      event: isEvent(lines.event) ? lines.event : null,
    });
    await carryOut(context, { service, lock, ledger, input, lines, found, flags, progress });
  } finally {
    progress.stop();
    await ledger.close();
  }
}

/** The service with credentials to write, at the rate that suits the number of records. */
async function openService(context: Context, { records }: Survey, { rate }: BulkFlags): Promise<Service> {
  const modest = rate === undefined && records > MANY_RECORDS;
  if (modest) {
    context.messages.status(
      `${number(records)} records: at the 500 requests in five minutes that the service asks for (--rate for another)`,
    );
  }
  return context.service('writes', rate ?? (modest ? MODEST_RATE : 'service'));
}

interface Work {
  readonly service: Service;
  readonly lock: Lock;
  readonly ledger: BulkLedger;
  readonly input: BulkInput;
  readonly lines: LineOptions;
  readonly found: Survey;
  readonly flags: BulkFlags;
  readonly progress: Progress;
}

async function carryOut(context: Context, work: Work): Promise<void> {
  const { service, lock, ledger, input, lines, found, flags, progress } = work;
  const { host, messages } = context;
  // Each request in progress listens to the signal; Node warns of a leak at more than ten.
  setMaxListeners(0, host.signal);
  const lineWork = new LineWork(context, service, ledger, lines);
  const confirmLock = confirming(lock, host.now);
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
        lines.command === 'update' ? readLine(text, line, lines).doi?.toLowerCase() : undefined,
      carryOut: async (text, line, of) => {
        await confirmLock();
        return lineWork.carryOut(text, line, of);
      },
      failed: (text, line, doi, error) => {
        const result = lineWork.failed(text, line, doi, error);
        failures += 1;
        if (failures <= MOST_FAILURES_SHOWN && !host.terminal.stdout)
          messages.note(failureText(result, input));
        return result;
      },
      write: (text) => context.out.write(text),
      progress: (counts) => {
        done = found.done + counts.created + counts.updated;
        progress.update(counts.created + counts.updated + counts.failed, found.records - found.done);
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

/**
 * Checks the lock again when some time has passed: while this process was asleep, another machine may have
 * taken the lock over and written to the ledger.
 */
function confirming(lock: Lock, now: () => number): () => Promise<void> {
  let confirmedAt = now();
  return async () => {
    if (Math.abs(now() - confirmedAt) < CONFIRM_EVERY_MS) return;
    await lock.confirm();
    confirmedAt = now();
  };
}
