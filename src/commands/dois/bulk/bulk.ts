import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { acceptedAccount } from '../../../api/account.ts';
import { writeRate } from '../../../api/http/rate-limiter.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { type Lock, withDirectoryLock } from '../../../disk/lock/lock.ts';
import { regularTarget } from '../../../disk/regular-file.ts';
import { CliError } from '../../../errors.ts';
import type { RecordFile } from '../../../formats/open.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { counted } from '../../../text/words.ts';
import type { LedgerHeader } from '../../../writing/ledger/entry.ts';
import { BulkLedger } from '../../../writing/ledger/ledger.ts';
import { LineIndex } from '../../../writing/ledger/line-index.ts';
import type { WriteCommand } from '../../../writing/ledger/outcome.ts';
import { changeTextOf } from '../../../writing/request.ts';
import {
  type Bulk,
  discard,
  fileOf,
  requestOptions,
  targetOfRun,
  type WriteFlags,
} from './input.ts';
import { noteDiffering, restore } from './restore.ts';
import { BEFORE_QUESTION, fileRun, previewLines, sendLines } from './run-lines.ts';
import { serviceForCheck } from './service.ts';
import { surveyFile } from './survey-file.ts';

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
  const options = requestOptions(command, flags, flags.prefix ?? (await context.services.prefix()));
  const chosenLedger =
    flags.ledger && (await regularTarget(flags.ledger, `the ledger ${flags.ledger}`));
  const input = await fileOf(context, file);
  const { files } = input;
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
    const work = (lock: Lock) =>
      options.restore ? restore(bulk, lock, path) : withLedger(bulk, ask, lock, path);
    await withDirectoryLock(host, `${path}.lock`, work, path);
  } catch (error) {
    const isKept = isOnlyCopy && existsSync(path);
    if (!isKept) await discard(input);
    if (!(error instanceof CliError)) throw error;
    const hint = isKept && context.again([], [String(flags.file), input.path]);
    if (hint) throw error.with({ hint });
    // The name of its lock begins with the name of the ledger.
    throw error.file?.startsWith(path) ? error.with({ hint: ELSEWHERE }) : error;
  }
  await discard(input);
}

const ELSEWHERE = '--ledger <path> puts the ledger and its lock elsewhere';

/**
 * Prints what each line would change.
 * @param path of the ledger. If there is one, new records may exist, and edits may have been sent.
 */
async function dryRun(bulk: Bulk, path: string): Promise<void> {
  const { context, options, flags } = bulk;
  const surveyed = await surveyFile(bulk, new LineIndex());
  const rate = flags.rate ?? 'service';
  const isNew = options.command === 'create';
  const service = await (isNew
    ? serviceForCheck(context, rate)
    : context.services.open('writes', rate));
  const isRepeat = isNew && service !== undefined && existsSync(path);
  if (isRepeat) context.messages.note(`not checked which DOIs exist: ${path} is of an earlier run`);
  const hasSent = options.command === 'update' && !options.restore && existsSync(path);
  const earlier = hasSent ? await BulkLedger.open(path) : undefined;
  try {
    if (service !== undefined) earlier?.check(await headerOf(bulk, service));
    const mode = isRepeat ? 'again' : 'preview';
    const run = fileRun(bulk, surveyed, service, { mode, earlier });
    const report = await previewLines(bulk, run, surveyed);
    if (service !== undefined) await noteDiffering(bulk, service, surveyed, report);
  } finally {
    await earlier?.close();
  }
}

/** What a ledger of this run begins with. */
async function headerOf({ options, context }: Bulk, service: Service): Promise<LedgerHeader> {
  return {
    format: 'doi-cli bulk ledger',
    version: 2,
    command: options.command,
    baseUrl: normalizeBaseUrl(service.http.baseUrl),
    account: await acceptedAccount(service),
    event: options.event ?? null,
    change: changeTextOf(options),
    seed: randomBytes(16).toString('hex'),
    begun: new Date(context.host.now()).toISOString(),
  };
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
    const surveyed = await surveyFile(bulk, ledger.index);
    const left = surveyed.records - surveyed.done;
    const isAsked = ask !== undefined && context.interactive && !flags.yes;
    if (isAsked && input.isList && options.command === 'update') await showFirst(bulk);
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
    const service = await context.services.open('writes', rate);
    await ledger.claim(await headerOf(bulk, service));
    if (left === 0 && options.command === 'update' && !input.isList)
      context.messages.note(`all are done; to compare them with the service again, remove ${path}`);
    const report = await sendLines(bulk, service, surveyed, lock, ledger);
    await noteDiffering(bulk, service, surveyed, report);
  } finally {
    await ledger.close();
  }
}

const MOST_SHOWN = 3;
const MOST_READ = 100;

/** Shows what the first records that change would get, before a question about all of a list. */
async function showFirst(bulk: Bulk): Promise<void> {
  const records = async function* () {
    let left = MOST_READ;
    for await (const record of bulk.input.records()) {
      yield record;
      left -= 1;
      if (left === 0) return;
    }
  };
  const { input, flags, context } = bulk;
  // One after the other: few records after the last that is shown are read.
  const first = { ...bulk, input: { ...input, records }, flags: { ...flags, jobs: 1 } };
  const surveyed = await surveyFile(first, new LineIndex());
  if (surveyed.records === 0) return;
  const service = await context.services.open('writes', 'service');
  const run = fileRun(first, surveyed, service, { mode: 'preview' });
  await previewLines({ ...first, target: BEFORE_QUESTION }, run, surveyed, MOST_SHOWN);
}
