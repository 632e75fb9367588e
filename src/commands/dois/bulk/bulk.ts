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
import { jobsFor } from '../../../cli/jobs.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../../disk/lock/with-lock.ts';
import { CliError } from '../../../errors.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { number } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { type BulkInput, discard } from './file.ts';
import type { BulkFlags } from './flags.ts';
import { type LineOptions, LineWork, readLine } from './lines.ts';
import { conclude, failureText, withHint } from './report.ts';

// What the service asks of whoever writes more than 100,000 records (observed).
const MANY_RECORDS = 100_000;
// The results say all; who has sent them elsewhere sees at once that something is wrong with the file.
const MOST_FAILURES_TOLD = 5;
// A lock that is not touched for a minute may be taken over from another machine.
const SURE_MS = 10_000;
const MODEST_RATE = { requests: 500, windowMs: 300_000 };

/**
 * Creates or updates the records of a file, one a line, and prints what became of each.
 * @throws {CliError} kind `usage` before anything is sent; `rejected` when lines failed; whatever ended it early.
 */
export async function bulkCommand(
  context: Context,
  command: 'create' | 'update',
  input: BulkInput,
  flags: BulkFlags,
): Promise<void> {
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
  const ledger = await followed(flags.ledger ?? `${await followed(input.path)}.${command}-ledger`);
  const goOn =
    input.folder === undefined || flags.ledger !== undefined
      ? undefined
      : context.suggest('dois', command, '--file', input.path, ...repeated(flags));
  if (goOn !== undefined)
    context.messages.progress(`until all are done, the records are kept in ${input.path}`);
  const host = {
    signal: context.host.signal,
    now: context.host.now,
    note: (text: string) => context.messages.progress(text),
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
    if (goOn !== undefined && existsSync(ledger)) throw withHint(error, goOn);
    await discard(input);
    throw error;
  }
}

/** The options without which the same records would be others, or refused. */
function repeated({ prefix, event, validate }: BulkFlags): string[] {
  return [
    ...(prefix === undefined ? [] : ['--prefix', prefix]),
    ...(event === undefined ? [] : ['--event', event]),
    ...(validate === false ? ['--no-validate'] : []),
  ];
}

/** What a link leads to: a file has one ledger, and a ledger one lock, by whatever name they are called. */
async function followed(path: string): Promise<string> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  } catch {
    // Whoever opens it says what is wrong with it.
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
      doiOf: (text, line) => {
        const { doi } = readLine(text, line, lines);
        return lines.command === 'create' ? doi : undefined;
      },
    });
    const service = await open(context, found, flags);
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

/** The service with credentials to write, at the rate that becomes the number of records. */
async function open(context: Context, { records }: Survey, { rate }: BulkFlags): Promise<Service> {
  const modest = rate === undefined && records > MANY_RECORDS;
  if (modest) {
    context.messages.progress(
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
  // Each request under way listens to it; Node takes more than ten for a leak.
  setMaxListeners(0, host.signal);
  const lineWork = new LineWork(context, service, ledger, lines);
  const sure = confirming(lock, host.now);
  let done = found.done;
  let failures = 0;
  try {
    const tally = await runBulk({
      input,
      ledger,
      signal: host.signal,
      jobs: flags.jobs ?? jobsFor(service),
      failFast: flags.failFast === true,
      keyOf: (text, line) =>
        lines.command === 'update' ? readLine(text, line, lines).doi?.toLowerCase() : undefined,
      carryOut: async (text, line, of) => {
        await sure();
        return lineWork.carryOut(text, line, of);
      },
      failed: (text, line, doi, error) => {
        const result = lineWork.failed(text, line, doi, error);
        failures += 1;
        if (failures <= MOST_FAILURES_TOLD && !host.terminal.stdout)
          messages.note(failureText(result, input));
        return result;
      },
      write: (text) => context.out.write(text),
      progress: (tally) => {
        done = found.done + tally.created + tally.updated;
        progress.update(tally.created + tally.updated + tally.failed, found.records - found.done);
      },
    });
    progress.stop();
    conclude(context, tally, found, progress.elapsed);
  } catch (error) {
    progress.stop();
    const some = `${number(done)} of ${number(found.records)} records are done`;
    if (host.signal.aborted) {
      throw new CliError('incomplete', `stopped: ${some}`, { hint: GO_ON, cause: error });
    }
    const known = error instanceof CliError && error.kind !== 'rejected';
    if (known) messages.note(some);
    throw known ? withHint(error, error.hint === undefined ? GO_ON : `${error.hint}; ${GO_ON}`) : error;
  }
}

/**
 * Makes sure of the lock when so much time has passed that somebody may have taken it: a process that was asleep knows
 * nothing of what was done with its ledger meanwhile.
 */
function confirming(lock: Lock, now: () => number): () => Promise<void> {
  let sureAt = now();
  return async () => {
    if (Math.abs(now() - sureAt) < SURE_MS) return;
    await lock.confirm();
    sureAt = now();
  };
}

const GO_ON = 'the same command again continues';
