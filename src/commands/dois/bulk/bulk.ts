import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { acceptedAccount } from '../../../api/account.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../../disk/lock/lock.ts';
import { CliError, errorCode } from '../../../errors.ts';
import { assignmentText } from '../../../records/assignment.ts';
import { changeLine, createLine, failedResult } from '../../../records/carry-out.ts';
import type { WriteCommand } from '../../../records/entry.ts';
import { BulkLedger } from '../../../records/ledger.ts';
import { regularTarget } from '../../../records/ledger-file.ts';
import { doiOfLine, namesDois } from '../../../records/line.ts';
import type { RecordSource } from '../../../records/record-source.ts';
import { tried } from '../../../records/run.ts';
import type { Survey } from '../../../records/survey.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { counted, number } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { createdBefore, questionFor } from './confirm.ts';
import { discard, fileOf, type WriteFlags } from './input.ts';
import { type Bulk, dryRun, runLines, surveyLines } from './lines.ts';
import { failureText, reportCounts } from './report.ts';

// The service asks for this rate when about 100,000 records or more are written in a day (service.md, E8).
const MANY_RECORDS = 100_000;
const MODEST_RATE = { requests: 500, windowMs: 300_000 };
// The results hold every failure. When stdout goes to a file, stderr shows the first ones at once.
const MAX_FAILURES_SHOWN = 5;
const GO_ON = 'the same command again continues';

/**
 * Creates, changes or deletes the records of a file, one a line, and prints the result of each.
 * @throws {CliError} kind `usage` before anything is sent; `rejected` when lines failed; the error that ended
 *   it early.
 */
export async function bulkCommand(
  context: Context,
  command: WriteCommand,
  file: RecordSource,
  flags: WriteFlags,
): Promise<void> {
  const ask = questionFor(context, command, file, flags);
  const { event, validate = true, set = [], reason } = flags;
  const prefix = flags.prefix ?? (await context.prefix());
  const ledgerOf = (path: string) => regularTarget(path, `the ledger ${path}`);
  const given = flags.ledger === undefined ? undefined : await ledgerOf(flags.ledger);
  const input = await fileOf(context, file);
  const lines = { command, name: input.name, event, prefix, validate, set, reason };
  const bulk = { context, input, flags, lines };
  if (flags.dryRun) return dryRun(bulk).finally(() => discard(input));
  const own = await ledgerOf(`${await regularTarget(input.original ?? input.path)}.${command}-ledger`);
  const ledger = given ?? own;
  const goOn =
    input.folder === undefined || input.original !== undefined || flags.ledger !== undefined
      ? undefined
      : context.suggest('dois', command, '--file', input.path, ...repeatedOptions(flags));
  const note = (text: string) => context.messages.status(text);
  const askAndNote = async (found: Survey) => {
    await ask(found);
    if (goOn !== undefined) note(`until all are done, the records are kept in ${input.path}`);
  };
  try {
    await withDirectoryLock(
      { ...context.host, note },
      `${ledger}.lock`,
      (lock) => withLedger({ ...bulk, ask: askAndNote }, lock, ledger, own),
      ledger,
    );
    await discard(input);
  } catch (thrown) {
    const error = withPlace(thrown, ledger);
    if (goOn !== undefined && existsSync(ledger)) {
      throw error instanceof CliError ? error.with({ hint: goOn }) : error;
    }
    await discard(input);
    throw error;
  }
}

const NOT_WRITABLE: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'the folder is not writable',
  EPERM: 'the folder is not writable',
};

/** An error about a ledger next to a file where nothing can be written, with the way out; other errors as they are. */
export function withPlace(error: unknown, ledger: string): unknown {
  if (!(error instanceof CliError) || error.kind !== 'output') return error;
  const code = errorCode(error.cause) ?? '';
  if (code === 'ENOENT')
    return error.with({ hint: '--ledger <path> puts the ledger and its lock elsewhere' });
  const why = NOT_WRITABLE[code];
  if (why === undefined) return error;
  return error.with({
    message: `cannot write the ledger ${ledger}: ${why}`,
    hint: '--ledger <path> puts it elsewhere',
  });
}

/** The options that decide what is sent, which the next command has to repeat. */
function repeatedOptions({ prefix, event, validate = true, yes, ...flags }: WriteFlags): string[] {
  return [
    ...(prefix === undefined ? [] : ['--prefix', prefix]),
    ...(event === undefined ? [] : ['--event', event]),
    ...changeOptions(flags),
    ...(validate ? [] : ['--no-validate']),
    ...(yes ? ['--yes'] : []),
  ];
}

/** The options that say what to change of each record. */
function changeOptions({ set = [], reason }: WriteFlags): string[] {
  return [
    ...set.flatMap((one) => ['--set', assignmentText(one)]),
    ...(reason === undefined ? [] : ['--reason', reason]),
  ];
}

interface LedgerRun extends Bulk {
  readonly ask: (found: Survey) => Promise<void>;
}

async function withLedger(bulk: LedgerRun, lock: Lock, path: string, own: string): Promise<void> {
  const { context, lines, flags } = bulk;
  const onScreen = context.host.terminal.stdout;
  const ledger = await BulkLedger.open(path);
  const reading = await Progress.start(context, onScreen, 'reading the records');
  try {
    const before = await createdBefore(context, flags, lines, path === own ? undefined : own);
    const found = await surveyLines(bulk, ledger.index, before).finally(() => reading.stop());
    await before?.ask();
    await bulk.ask(found);
    const modest = flags.rate === undefined && found.records > MANY_RECORDS;
    if (modest) {
      context.messages.status(
        `${number(found.records)} records: at the 500 requests in five minutes that the service asks for (--rate for another)`,
      );
    }
    const service = await context.service('writes', flags.rate ?? (modest ? MODEST_RATE : 'service'));
    const change = changeOptions(flags).join(' ');
    await ledger.claim({
      format: 'doi-cli bulk ledger',
      version: 2,
      command: lines.command,
      baseUrl: normalizeBaseUrl(service.http.baseUrl),
      account: await acceptedAccount(service),
      event: lines.event ?? null,
      change: change === '' ? undefined : change,
      seed: randomBytes(16).toString('hex'),
      begun: new Date(context.host.now()).toISOString(),
    });
    const progress = await Progress.start(context, onScreen, 'waiting for the first answer');
    await carryOut({ ...bulk, service, lock, ledger, found, progress }).finally(() => progress.stop());
  } finally {
    reading.stop();
    await ledger.close();
  }
}

interface Work extends Bulk {
  readonly service: Awaited<ReturnType<Context['service']>>;
  readonly lock: Lock;
  readonly ledger: BulkLedger;
  readonly found: Survey;
  readonly progress: Progress;
}

async function carryOut(work: Work): Promise<void> {
  const { context, service, ledger, input, lines, found, flags, progress } = work;
  const { host, messages } = context;
  let done = found.done;
  let failures = 0;
  try {
    const counts = await runLines(work, found, {
      ledger,
      jobs: flags.jobs ?? jobsFor(service),
      keyOf: (text, line) =>
        lines.command === 'update' ? doiOfLine(text, line, lines)?.toLowerCase() : undefined,
      carryOut: (task) => (lines.command === 'create' ? createLine(work, task) : changeLine(work, task)),
      failed: (task, doi, error) => {
        const result = failedResult(work, task, doi, error);
        failures += 1;
        if (failures <= MAX_FAILURES_SHOWN && !host.terminal.stdout)
          messages.note(failureText(result, input));
        return result;
      },
      progress: (counts) => {
        done = found.done + tried(counts).done;
        progress.update(tried(counts).all, found.records - found.done);
      },
    });
    progress.stop();
    const isList = namesDois(lines);
    if (isList && tried(counts).all + counts.before === found.records) {
      // The DOIs may be changed elsewhere from now on: the same command again reads them anew.
      await ledger.close();
      await work.lock.check();
      await rm(ledger.path, { force: true });
    }
    if (lines.command === 'delete' && counts.unchanged > 0) {
      messages.note(`not found, or not readable with these credentials: ${counted(counts.unchanged, 'DOI')}`);
    }
    reportCounts(context, counts, found, { isList, elapsedMs: progress.elapsed });
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
