import { createDoi, type Doi, findDoi } from '../api/dois.ts';
import { retryDelayMs } from '../api/http/retry.ts';
import { matchesRequest } from '../api/record-match.ts';
import type { Service } from '../api/service.ts';
import { STATES, stateAfter } from '../api/states.ts';
import type { Lock } from '../disk/lock/lock.ts';
import { CliError } from '../errors.ts';
import type { Finding } from '../metadata/check.ts';
import { heldAttributes } from '../metadata/corrections.ts';
import { changesMember } from './changes.ts';
import { createRecord, generatedDoi, type ReservedDoi } from './create-record.ts';
import type { LineResult, ResultEntry } from './entry.ts';
import { isError, toProblem } from './findings.ts';
import type { BulkLedger } from './ledger.ts';
import { doiOfLine, type LineOptions, readLine, readName } from './line.ts';
import { LineStatus } from './line-index.ts';
import { refuseForAccount } from './own-account.ts';
import type { Wish } from './plan.ts';
import type { LineTask } from './run.ts';
import type { RunContext } from './run-context.ts';
import { createBody, type NewRecord } from './sent-record.ts';
import { type ChangeOptions, type Written, writeChange, writeNew } from './write.ts';

export interface LineWork {
  readonly context: RunContext;
  readonly lines: LineOptions;
  /** Undefined where nothing is read or sent: to check what a create would do. */
  readonly service: Service | undefined;
  /** Finds a record among those of the file, see {@link ListedRecords}. */
  readonly listed?: ChangeOptions['listed'];
  /** The ledger and its lock; without them nothing is sent. */
  readonly writes: { readonly ledger: BulkLedger; readonly lock: Lock } | undefined;
}

type Sending = LineWork & { readonly [Part in 'service' | 'writes']: NonNullable<LineWork[Part]> };

/** Creates, changes or deletes the record of a line, or finds out what would be done. */
export async function carryOutLine(
  work: LineWork,
  task: LineTask,
): Promise<Pick<ResultEntry, 'result' | 'sent'> & Pick<Written, 'changes'>> {
  const { command } = work.lines;
  const written =
    command === 'create'
      ? await createLine(work, task)
      : await changeLine(work, { ...work.lines, command }, task);
  // Without the state that it is about, an event had no effect.
  const { problem } = written;
  if (problem !== undefined && command !== 'create' && command !== 'update')
    throw new CliError('rejected', problem);
  return { result: resultOf(work, task, written), sent: written.sent, changes: written.changes };
}

function createLine(work: LineWork, task: LineTask): Promise<Written> {
  const { lines, service, writes } = work;
  const record = readLine(task.text, task.line, lines);
  const sending = service && writes && { ...work, service, writes };
  return writeNew(record, {
    validate: lines.validate,
    create: sending && ((findings) => create(sending, record, findings, task)),
  });
}

async function changeLine(work: LineWork, wish: LineOptions & Wish, task: LineTask): Promise<Written> {
  const { context, service, writes } = work;
  if (service === undefined) throw new Error('there is nothing to change');
  const given = wish.holdsRecords ? readLine(task.text, task.line, wish).parsed : undefined;
  const doi = given === undefined ? namedIn(task, wish) : (given.doi ?? '');
  const send = async <T>(request: () => Promise<T>): Promise<T> => {
    await writes?.lock.check();
    return request();
  };
  const connect = async () => service;
  const takesMissing = wish.command === 'delete';
  const options = { context, connect, send: writes && send, takesMissing, listed: work.listed };
  const sent = await writes?.ledger.sent(doi);
  return writeChange(options, { ...wish, doi, given, sent });
}

function namedIn({ text, line }: LineTask, lines: LineOptions): string {
  const { doi = '', failure } = readName(text, line, lines);
  if (failure !== undefined) throw new CliError('rejected', failure);
  return doi;
}

/** The result of a line that failed. */
export function failedResult(
  { context, lines }: Pick<LineWork, 'context' | 'lines'>,
  { text, line }: LineTask,
  fixed: string | undefined,
  error: CliError,
): LineResult {
  const doi = doiOfLine(text, line, lines) ?? fixed ?? null;
  const isLost = error.kind === 'unavailable' && doi !== null;
  // The hint says what the service's message leaves out: whose the prefix is (service.md, W8).
  const hint = isLost
    ? context.suggest('dois', 'get', doi)
    : error.kind === 'credentials'
      ? error.hint
      : undefined;
  const why = hint === undefined ? '' : ` (${hint})`;
  const listed = error.problems.length > 0 ? error.problems : [{ path: null, message: error.message }];
  const mask = (text: string) => context.redactor.mask(text);
  const errors = listed.map(({ path, message, ...more }) => ({
    path: path && mask(path),
    message: mask(`${message}${why}`),
    ...more,
  }));
  return { line, file: lines.files?.[line - 1], doi, state: null, outcome: 'failed', errors };
}

function resultOf(
  { context, writes, lines }: LineWork,
  { line }: LineTask,
  { outcome, doi, record, changes, findings, problem }: Written,
): LineResult {
  const state = STATES.find((one) => one === record?.attributes['state']) ?? null;
  const asOf = state === null ? undefined : new Date(context.host.now()).toISOString();
  const errors = problem === undefined ? [] : [{ path: 'state', message: context.redactor.mask(problem) }];
  const preview = writes === undefined ? changes && changesMember(changes) : undefined;
  const shown = { changes: preview, errors, ...toldMembers(findings) };
  return { line, file: lines.files?.[line - 1], doi: doi ?? null, state, asOf, outcome, ...shown };
}

function toldMembers(findings: readonly Finding[]): Pick<LineResult, 'dropped' | 'warnings'> {
  const dropped = findings.filter((finding) => finding.dropped).map(toProblem);
  const warnings = findings.filter((finding) => !finding.dropped && !isError(finding)).map(toProblem);
  return { ...(dropped.length > 0 ? { dropped } : {}), ...(warnings.length > 0 ? { warnings } : {}) };
}

async function create(
  work: Sending,
  record: NewRecord,
  findings: readonly Finding[],
  { line, of }: LineTask,
): Promise<Doi> {
  const { context, service } = work;
  const { ledger, lock } = work.writes;
  const { event: _, ...attributes } = heldAttributes(record.parsed.attributes, findings);
  const prefix = record.prefix ?? '';
  if (work.lines.validate) await refuseForAccount(service, record.parsed, stateAfter(record.event), prefix);
  return createRecord(
    {
      now: context.host.now,
      begun: ledger.begun,
      generate: (attempt) => generatedDoi(prefix, ledger.seed, line, of, attempt),
      create: async (doi) => {
        // The DOI is in the ledger. A process that takes the ledger over after this check finds it there.
        await lock.check();
        return createDoi(service, createBody(record, { doi }), attributes);
      },
      find: (doi) => findDoi(service, doi),
      matches: (stored) => matchesRequest(stored, attributes, { exact: false }),
      fix: (fixed) => ledger.fix({ line, of, ...fixed, at: new Date(fixed.at).toISOString() }),
      pause: (attempt, error) => pause(work, attempt, error),
    },
    {
      doi: record.parsed.doi,
      doubtful: ledger.index.of(line).status === LineStatus.doubtful,
      fixed: await fixedBefore(ledger, record, line),
      retries: context.options.retries,
    },
  );
}

async function pause({ context, service }: Sending, attempt: number, error: CliError): Promise<void> {
  const { host, messages } = context;
  if (error.kind === 'throttled' && service.rateLimiter !== undefined) {
    // The rate limiter holds back all lines together, including this one.
    service.rateLimiter.onThrottled(undefined);
    return;
  }
  const delay = retryDelayMs(attempt, host.random(), undefined);
  messages.trace(`${error.message}; looking for the DOI in ${(delay / 1000).toFixed(1)} s`);
  await host.sleep(delay, host.signal);
}

/** The DOI of an earlier run: always kept for a line in doubt, and for a failed line if it still fits. */
async function fixedBefore(
  ledger: BulkLedger,
  { parsed, prefix }: NewRecord,
  line: number,
): Promise<ReservedDoi | undefined> {
  const entry = await ledger.fixed(line);
  if (entry === undefined) return undefined;
  const { doi, generated, at } = entry;
  const fits = generated && parsed.doi === undefined && doi.startsWith(`${prefix}/`);
  if (ledger.index.of(line).status !== LineStatus.doubtful && !fits) return undefined;
  return { doi, generated, at: Date.parse(at) };
}
